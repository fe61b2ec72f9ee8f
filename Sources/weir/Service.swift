import Boards
import Flows
import Foundation
import Journals
import JournalsSQLite
import Logging
import Pages
import ServiceLifecycle
import StandardOperations
import UnixSignals
import Web

/// All that `weir serve` runs, put together from its settings.
struct Service: Sendable {
    private let settings: Settings
    private let logger = Logger(label: "weir")

    /// Takes the settings; nothing begins before ``run()``.
    init(_ settings: Settings) {
        self.settings = settings
    }

    /// Serves until a signal says to stop.
    ///
    /// Throws `StartError` when something needed is not to be had.
    func run() async throws {
        let runbooks = try Runbooks(files: settings.list("runbook"))
        let folder = DataFolder(settings)
        try folder.make()
        let journal = try await openJournal(in: folder)
        let port = MutableStateFlow<Int?>(nil)
        let operations = StandardCatalog(settings: settings, folder: folder.url, port: port.asStateFlow())
        var catalog = operations.catalog()
        runbooks.add(to: &catalog)
        do {
            try await operations.removeLeftovers()
        } catch {
            logger.warning("Leftovers of an earlier process could not be removed.", metadata: ["error": "\(error)"])
        }
        let board = try await openBoard(catalog, journal)
        do {
            try await runbooks.takeInEdits(on: board)
        } catch {
            logger.warning("What was edited in the runbooks is not shown, as it cannot be recorded. \(error)")
        }
        let server = try server(board, setAside: (journal as? SQLiteJournal)?.setAside) { [logger] bound in
            port.value = bound
            announce(port: bound, logger)
        }
        var configuration = ServiceGroupConfiguration(
            services: [.init(service: BoardService(board: board, journal: journal)), .init(service: server)],
            gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        configuration.maximumGracefulShutdownDuration = .milliseconds(2_800)
        do {
            try await ServiceGroup(configuration: configuration).run()
        } catch let error as any Error & CustomStringConvertible where "\(error)".contains("bind") {
            throw StartError.unavailable(
                "Port \(settings.text("port") ?? "") on \(settings.text("host") ?? "") cannot be listened on: another program has it, or it is not yours to take. Try --port 0."
            )
        }
    }

    private func announce(port: Int, _ logger: Logger) {
        let host = settings.text("host") ?? "127.0.0.1"
        print("Weir is at http://\(host.contains(":") ? "[\(host)]" : host):\(port)/")
        fflush(nil)
    }

    private func openJournal(in folder: DataFolder) async throws -> any Journal {
        guard settings.text("journal") != "memory" else { return MemoryJournal(epoch: JournalEpoch.make()) }
        do {
            let journal = try await SQLiteJournal.open(
                at: folder.journal, now: Timestamp(Date()))
            for notice in journal.notices { logger.warning("\(notice)") }
            return journal
        } catch let error as JournalError {
            throw StartError.unavailable("The journal in \(folder.url.path) cannot be opened. \(error)")
        }
    }

    private func openBoard(_ catalog: Catalog, _ journal: any Journal) async throws -> Board {
        var configuration = Board.Configuration()
        configuration.drainTimeout = .milliseconds(700)
        configuration.retention = settings.retention
        do {
            return try await Board.open(catalog: catalog, journal: journal, configuration: configuration)
        } catch let error as JournalError {
            throw StartError.unavailable("The journal cannot be used. \(error)")
        }
    }

    private func server(
        _ board: Board, setAside: String?, onBound: @escaping @Sendable (Int) async -> Void
    ) throws -> DashboardServer {
        var web = WebConfiguration()
        web.allowedHosts = settings.list("allowed-hosts")
        web.actorHeader = settings.text("actor-header")
        web.publicFolder = settings.text("public").map { URL(filePath: $0, directoryHint: .isDirectory) }
        web.spoolFolder = DataFolder(settings).spool
        web.version = Weir.version
        web.setAside = setAside
        do {
            return try DashboardServer(
                board: board, templates: try TemplateSet(overlay: settings.templatesFolder), configuration: web,
                host: settings.text("host") ?? "127.0.0.1", port: settings.integer("port") ?? 8_080, onBound: onBound)
        } catch let error as TemplateSetError {
            throw StartError.unavailable("\(error)")
        }
    }
}

extension SQLiteJournal {
    /// The name under which a damaged file was kept when this journal was begun in its place.
    fileprivate var setAside: String? {
        for case .setAside(let file, _) in notices { return file }
        return nil
    }
}
