import Foundation
import Logging
import WeirJournals
import WeirPostgres
import WeirStates

/// The location of the journal, from the setting `journal`.
enum JournalPlace: Sendable {
    case memory
    case file
    /// A PostgreSQL database, at a URL that can include a password.
    case database(String)

    init(_ settings: Settings) {
        self =
            switch settings.text("journal") {
            case "memory": .memory
            case let text? where PostgresAddress.isURL(text): .database(text)
            default: .file
            }
    }

    func open(
        in folder: DataFolder, _ configuration: SQLiteJournal.Configuration
    ) async throws(StartError) -> any Journal {
        do {
            let journal: any Journal =
                switch self {
                case .memory: MemoryJournal(epoch: JournalEpoch.make())
                case .file: try await Self.openFile(folder, configuration)
                case .database(let url):
                    try await PostgresJournal.open(url, configuration: .init(node: try node(in: folder)))
                }
            guard try await journal.note(JournalCopy.note) == nil else {
                await journal.close()
                throw JournalError(.unavailable, "It is a copy that is not finished. Repeat weir journal copy.")
            }
            return journal
        } catch {
            let place = if case .file = self { "in \(folder.url.path)" } else { "in PostgreSQL" }
            throw .unavailable("The journal \(place) cannot be opened. \(Self.words(error))")
        }
    }

    /// The guard of the disk of a journal in a file; nil for another journal, and if a single byte is kept free.
    func diskGuard(of folder: DataFolder, _ settings: Settings, logger: Logger) -> DiskGuard? {
        guard case .file = self, let keepFree = settings.bytes("disk.keep-free"), keepFree.bytes > 1 else { return nil }
        return DiskGuard(folder.url, keepFree: keepFree, logger: logger)
    }

    /// How often, and at which interval, a journal that another process holds is tried again.
    private static let (attempts, interval) = (40, Duration.milliseconds(50))

    /// Opens the journal's file; waits up to two seconds for a process that is just ending to release it.
    private static func openFile(
        _ folder: DataFolder, _ configuration: SQLiteJournal.Configuration
    ) async throws -> SQLiteJournal {
        for _ in 0..<attempts {
            do {
                return try await SQLiteJournal.open(at: folder.journal, configuration: configuration) {
                    Timestamp(Date())
                }
            } catch let error as JournalError where error.code == .locked {
                try await Task.sleep(for: interval)
            }
        }
        return try await SQLiteJournal.open(at: folder.journal, configuration: configuration) { Timestamp(Date()) }
    }

    static func hurry(_ journal: any Journal) { (journal as? PostgresJournal)?.hurry() }

    /// The identity of this server among those that share the database: the host name and the data folder's id.
    private func node(in folder: DataFolder) throws -> PostgresNode {
        let id = try folder.nodeID()
        return PostgresNode(id: id, name: Self.name(of: id))
    }

    /// The name of the server with that id for people.
    static func name(of id: String) -> String { "\(machine)/\(id.prefix(4))" }

    /// The host name, without a network lookup.
    static var machine: String {
        var bytes = [CChar](repeating: 0, count: 256)
        guard gethostname(&bytes, 255) == 0 else { return "localhost" }
        return String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Opens the journal for a short-lived command: for reading while a server may be recording, or for writing.
    func open(
        in folder: DataFolder, access: SQLiteJournal.Configuration.Access
    ) async throws(StartError) -> any Journal {
        switch self {
        case .memory: throw StartError.misconfigured("A journal in memory is gone when its server stops.")
        case .file: return try await BundleJournal.open(in: folder, access: access)
        case .database(let url):
            do {
                return try await PostgresJournal.open(
                    url, configuration: .init(isReadOnly: access == .reading, readers: 1))
            } catch {
                throw .unavailable("The journal in PostgreSQL cannot be opened. \(Self.words(error))")
            }
        }
    }

    /// The description of an error, with the database's own message if available.
    private static func words(_ error: any Error) -> String {
        guard let error = error as? JournalError else { return "\(error)" }
        return error.cause.map { "\(error) (\($0))" } ?? "\(error)"
    }
}

enum BundleJournal {
    /// Opens the journal of a data folder for a short-lived command; errors explain what to do instead.
    static func open(
        in folder: DataFolder, access: SQLiteJournal.Configuration.Access
    ) async throws(StartError) -> SQLiteJournal {
        guard access == .writing || FileManager.default.fileExists(atPath: folder.journal) else {
            throw .missing("There is no journal in \(folder.url.path). Set the server's data folder with --data.")
        }
        do {
            return try await SQLiteJournal.open(
                at: folder.journal, configuration: .init(access: access), now: Timestamp(Date()))
        } catch let error as JournalError where error.code == .locked {
            throw .unavailable(
                """
                A server is using the journal in \(folder.url.path). Import through it: on its page of runs, or by \
                curl -F file=@FILE http://127.0.0.1:8080/api/v1/imports
                """)
        } catch {
            throw .unavailable("The journal in \(folder.url.path) cannot be opened. \(error)")
        }
    }
}
