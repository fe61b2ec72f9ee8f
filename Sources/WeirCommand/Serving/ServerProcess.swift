import Foundation
import Logging
import ServiceLifecycle
import UnixSignals
import WeirAccess
import WeirBoards
import WeirFiles
import WeirFlows
import WeirJournals
import WeirPages
import WeirStandard
import WeirStates
import WeirTelemetry
import WeirWeb

struct ServerProcess: Sendable {
    private let settings: Settings
    private let sources: SettingSources
    private let level: LogLevel
    private let umask: FileMask?
    private let socket: PassedSocket?
    private let logger = Logger(label: "weir")

    /// Creates a process, which starts nothing before ``run()``; `umask` is that of the operator.
    init(
        _ settings: Settings, sources: SettingSources, level: LogLevel, umask: FileMask? = nil,
        socket: PassedSocket? = nil
    ) {
        self.settings = settings
        self.sources = sources
        self.level = level
        self.umask = umask
        self.socket = socket
    }

    /// Serves until a signal stops the process; throws `StartError` if a required resource is unavailable.
    func run() async throws {
        let received = await UnixSignalsSequence(trapping: SignalService.signals)
        let runbooks = Runbooks(files: settings.list("runbook"))
        let declared = try OperationFolderService(
            settings, config: sources.config, environment: sources.environment, umask: umask)
        let plan = try AccessPlan(settings)
        let certificate = try certificate()
        let folder = DataFolder(settings)
        let tightened = try folder.make()
        if !tightened.isEmpty {
            logger.notice(
                "Other users of this machine could read the data folder; it is now closed to them.",
                metadata: ["folder": "\(folder.url.path)", "closed": "\(tightened.joined(separator: ", "))"])
        }
        let place = JournalPlace(settings)
        let disk = place.diskGuard(of: folder, settings, logger: logger)
        disk?.prepare()
        let journal = try await place.open(in: folder, settings.journal)
        let quiet = try Quiet.begin(
            settings, in: folder, isCopy: (journal as? SQLiteJournal)?.isCopy ?? false, now: Timestamp(Date()),
            logger: logger)
        let port = MutableStateFlow<Int?>(nil)
        let operations = StandardCatalog(settings: settings, folder: folder.url, port: port.asStateFlow())
        let examples = operations.served.entries
        let catalog = { @Sendable (declared: OperationFolderService) in
            var catalog = Catalog()
            declared.add(to: &catalog, outgoing: operations.environment)
            for entry in examples { catalog.add(entry) }
            runbooks.add(to: &catalog)
            return catalog
        }
        declared.report(to: logger)
        runbooks.report(to: logger)
        let texts = { @Sendable (declared: OperationFolderService) in
            var texts = declared.texts
            texts.problems += runbooks.problems
            return texts
        }
        do {
            try await operations.removeLeftovers()
            try folder.removeReceived()
        } catch {
            logger.warning(
                "Files of an earlier process could not be removed.", metadata: ["cause": "\(Quoted(error))"])
        }
        let telemetry = ServerTelemetry(settings, allowedHosts: Self.hosts(settings), logger: logger)
        let board = try await openBoard(
            catalog(declared), journal, disk, drainTimeout: declared.drainTimeout, quiet: quiet, telemetry.telemetry)
        let backups = try BackupService(settings, config: sources.config, quiet: board.quiet, logger: logger)
        let accessFiles = AccessFiles(folder)
        let audit = try accessFiles.openAudit(days: settings.integer("audit.days") ?? 365, logger: logger)
        let reload = SettingsReload(
            settings, folder: folder, audit: audit, refused: board.refusedSettings, logger: logger)
        reload.begin()
        let control = AccessControl(rules: plan.rules)
        let directory = try await accessFiles.open(
            plan, control: control, audit: audit, beside: journal, logger: logger
        ) { board.currentRole.value == .recording }
        let notice = SetUpNotice(directory: directory, folder: folder, logger: logger)
        let provider = plan.provider.map { OpenIDProvider($0, key: directory.signInKey, logger: logger) }
        let accounts = Accounts(
            directory, provider: provider,
            mailer: try MailServer.mailer(settings) { [secrets = declared.secrets] in secrets.value($0) })
        let hooks = try HookServices(
            settings, folder: folder, files: declared, board: board, port: port.asStateFlow(),
            metrics: telemetry.registry, logger: logger)
        let manager = ServiceManager(environment: sources.environment, logger: logger)
        let server = try server(
            board, accounts, certificate, texts(declared), hooks, backups, telemetry
        ) { [self, logger] bound in
            port.value = bound
            keepRecord(port: bound, in: folder)
            let url = announce(port: bound)
            manager.send(.ready(status: "Weir is at \(url)"))
            do { try await notice.say(url: url) } catch { logger.error("\(error)") }
        }
        let polled = PolledFeeds()
        let keepPolled = { @Sendable (ids: [String]) in polled.keep(board.quiet.value == nil ? ids : [], on: board) }
        keepPolled(declared.alwaysPolled)
        let files = FolderService(declared.tracker, declared.choices, logger: logger) { [self] folder in
            let declared = declared.reading(folder)
            // Reads every template and recreates every operation, so this runs on the pool for files.
            let (next, templates) = try await WorkPool.files.run {
                (catalog(declared), try TemplateSet(overlay: settings.templatesFolder, declared: texts(declared)))
            }
            try await server.dashboard.replace(next, templates: templates, drainTimeout: declared.drainTimeout)
            keepPolled(declared.alwaysPolled)
            hooks.notifier.replace(declared.hooks(reload.inForce))
        }
        let signals = self.signals(received, certificate, files, reload, manager) { [level] settings in
            level.take(settings)
            server.allow(hosts: Self.hosts(settings))
            control.replace(rules: settings.rules ?? AccessRules())
            board.keep(settings.retention)
            hooks.notifier.replace(declared.reading(files.current).hooks(settings))
        } report: { [logger] in
            logger.notice(
                "The server is running.",
                metadata: [
                    "version": "\(RootCommand.version)", "epoch": "\(board.epoch)", "recording": "\(board.recording)",
                    "held": "\(server.dashboard.held)",
                ].merging(telemetry.standing) { first, _ in first })
        }
        let conditions = ConditionService(
            board: board, notifier: hooks.notifier, folder: folder.url,
            minimumFree: settings.bytes("disk.warn-below")?.bytes ?? 0, certificate: certificate, backups: backups,
            diskGuard: disk, fileMistakes: { server.dashboard.fileMistakes }, logger: logger)
        let grace = settings.duration("shutdown.grace") ?? .zero
        let stopNotice = settings.duration("shutdown.notice") ?? .zero
        var configuration = ServiceGroupConfiguration(
            services: telemetry.services(board, server.dashboard, hooks.notifier, folder: folder.url).map {
                .init(service: $0)
            } + [disk].compactMap { $0.map { .init(service: $0) } } + [
                .init(
                    service: LivenessService(manager: manager, clock: ContinuousClock()) {
                        await server.visitEventLoops()
                    }),
                .init(service: BoardService(board: board, journal: journal, logger: logger)), .init(service: server),
                .init(service: hooks),
                .init(service: conditions),
                .init(service: signals),
                .init(service: files),
                .init(
                    service: RoleService(board: board, runbooks: runbooks, logger: logger),
                    failureTerminationBehavior: .gracefullyShutdownGroup),
                .init(
                    service: AccessService(
                        directory: directory, provider: provider, removals: board.removals,
                        head: AuditHead(audit, settings: settings, quiet: board.quiet, logger: logger)
                    ) { JournalPlace.hurry(journal) }),
                .init(service: backups),
                .init(
                    service: QuietService(folder: folder, board: board, notifier: hooks.notifier, logger: logger) {
                        keepPolled(declared.reading(files.current).alwaysPolled)
                    }),
                .init(service: RunsService(board: board, grace: grace, logger: logger)),
                .init(
                    service: StopNoticeService(board: board, notice: stopNotice, logger: logger) {
                        server.dashboard.announceStop()
                    }),
                // The last service is the first to be shut down.
                .init(
                    service: StopService(manager: manager) {
                        declared.reading(files.current).stopGracePeriod + grace + stopNotice + .seconds(10)
                    }),
            ],
            gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        // The longest grace period that any file can allow. The board usually ends sooner.
        configuration.maximumGracefulShutdownDuration =
            grace + OperationFolderService.longestGracePeriod + stopNotice + .milliseconds(4_100)
        do {
            defer { ServerRecord.remove(in: folder) }
            try await ServiceGroup(configuration: configuration).run()
        } catch let error as ListenError {
            throw error.reason == .inUse ? StartError.unavailable("\(error)") : StartError.misconfigured("\(error)")
        }
    }

    /// Handles the signals that do not end a server; `take` applies settings after a reload.
    private func signals(
        _ received: UnixSignalsSequence, _ certificate: ServerCertificate?, _ files: FolderService,
        _ reload: SettingsReload, _ manager: ServiceManager, taking take: @escaping @Sendable (Settings) -> Void,
        report: @escaping @Sendable () -> Void
    ) -> SignalService {
        let again = { @Sendable [sources, logger] in
            manager.send(.reloading)
            do {
                try certificate?.reload()
            } catch {
                logger.error("\(error) The certificate of before stays in force.")
            }
            reload.reload(from: sources, taking: take)
            files.readAgain()
            manager.send(.ready(status: "The settings were read at \(Timestamp(Date()))"))
        }
        return SignalService(received: received, reload: again, report: report)
    }

    /// Writes where this server is into the data folder, for `weir doctor`.
    private func keepRecord(port: Int, in folder: DataFolder) {
        let record = ServerRecord(
            process: ProcessInfo.processInfo.processIdentifier, version: RootCommand.build,
            url: settings.localURL(port: port), startedAt: Timestamp(Date()))
        do {
            try record.write(in: folder)
        } catch {
            logger.warning(
                "The file server.json cannot be written, so `weir doctor` does not find this server.",
                metadata: ["cause": "\(Quoted(error))"])
        }
    }

    private func announce(port: Int) -> String {
        let host = settings.text("host") ?? "127.0.0.1"
        let scheme = settings.text("tls.cert") == nil ? "http" : "https"
        let url = "\(scheme)://\(host.contains(":") ? "[\(host)]" : host):\(port)/"
        print("Weir is at \(url)")
        fflush(nil)
        return url
    }

    private func certificate() throws -> ServerCertificate? {
        guard let chain = settings.text("tls.cert"), let key = settings.text("tls.key") else { return nil }
        do {
            return try ServerCertificate(chain: chain, key: key)
        } catch {
            throw StartError.misconfigured("\(error)")
        }
    }

    private static func hosts(_ settings: Settings) -> [String] {
        let url = settings.text("public-url").flatMap { URL(string: $0) }
        return settings.list("allowed-hosts") + [url?.host()].compactMap { $0 }
    }

    private func openBoard(
        _ catalog: Catalog, _ journal: any Journal, _ disk: DiskGuard?, drainTimeout: Duration, quiet: QuietStart?,
        _ telemetry: Telemetry
    ) async throws -> Board {
        var configuration = Board.Configuration()
        configuration.quiet = quiet
        configuration.disk = disk
        configuration.telemetry = telemetry
        configuration.drainTimeout = drainTimeout
        configuration.retention = settings.retention
        settings.setLimits(of: &configuration)
        configuration.artifacts = DataFolder(settings).artifacts(settings)
        configuration.carriesOutForOthers = settings.text("runs.place") != "recording"
        configuration.reportsUndeclared = settings.text("reports.undeclared") == "yes"
        do {
            return try await Board.open(catalog: catalog, journal: journal, configuration: configuration)
        } catch let error as JournalError {
            throw StartError.unavailable("The journal cannot be used. \(error)")
        }
    }

    private func server(
        _ board: Board, _ accounts: Accounts, _ certificate: ServerCertificate?, _ declared: DeclaredTexts,
        _ hooks: HookServices, _ backups: BackupService, _ telemetry: ServerTelemetry,
        onBound: @escaping @Sendable (Int) async -> Void
    ) throws -> DashboardServer {
        var web = WebConfiguration()
        web.metrics = telemetry.registry
        web.telemetry = telemetry.telemetry
        web.history = telemetry.history
        web.allowedHosts = Self.hosts(settings)
        web.frameAncestors = Setting.words(of: settings.text("frame-ancestors") ?? "").compactMap(FrameAncestor.init)
        web.acceptsClaimedActors = settings.isOnLoopback
        web.helloRoute = true
        web.hooks = hooks.notifier
        web.conditions = { [notifier = hooks.notifier] in notifier.conditions }
        web.backups = backups
        let folder = DataFolder(settings)
        web.endQuiet = { try Quiet.resume(in: folder, discarding: $0) }
        web.publicFolder = settings.text("public").map { URL(filePath: $0, directoryHint: .isDirectory) }
        web.spoolFolder = DataFolder(settings).spool
        settings.setLimits(of: &web)
        web.version = RootCommand.version
        web.certificate = certificate
        web.offersLinks = accounts.asksWho
        web.assistantsMayChange = settings.text("assistants.changes") == "yes"
        do {
            return try DashboardServer(
                board: board, access: .accounts(accounts),
                templates: try TemplateSet(overlay: settings.templatesFolder, declared: declared),
                configuration: web,
                host: settings.text("host") ?? "127.0.0.1", port: settings.integer("port") ?? 8_080,
                descriptor: socket?.descriptor, onBound: onBound)
        } catch let error as TemplateSetError {
            throw StartError.misconfigured("\(error)")
        } catch let error as AssetLibraryError {
            throw StartError.misconfigured("\(error)")
        } catch let error as WebConfigurationError {
            throw StartError.misconfigured("\(error)")
        }
    }
}
