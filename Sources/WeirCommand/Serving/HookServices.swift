import Foundation
import Logging
import ServiceLifecycle
import WeirAccess
import WeirBoards
import WeirFiles
import WeirFlows
import WeirJournals
import WeirStandard
import WeirTelemetry

struct HookServices: ServiceLifecycle.Service {
    let notifier: Notifier

    /// Opens the file of messages; throws `StartError` if it cannot be used.
    init(
        _ settings: Settings, folder: DataFolder, files: OperationFolderService, board: Board,
        port: ReadOnlyStateFlow<Int?>, metrics: MetricsRegistry, logger: Logger
    ) throws {
        let secrets = files.secrets
        let store: DeliveryStore
        do {
            store = try DeliveryStore(path: settings.text("journal") == "memory" ? nil : folder.deliveries)
        } catch {
            throw StartError.unavailable("\(error)")
        }
        let sender = NotificationSender(
            environment: OperationEnvironment(outgoing: OutgoingPolicy(allowing: settings.allowances)),
            commandEnvironment: files.environment, mail: try MailServer(settings) { secrets.value($0) },
            secret: { secrets.value($0) })
        let address = { @Sendable in settings.address(port: port.value) }
        let plan = files.hooks(settings)
        notifier = Notifier(
            board: board, store: store, plan: plan, sender: sender,
            secrets: { secrets.value($0) }, address: address, now: { Timestamp(Date()) },
            makeID: { UUID().uuidString.lowercased() }, metrics: metrics, logger: logger)
        let missing = files.missingSecrets(plan)
        if settings.text("mail.server") == nil, plan.sendsMail {
            logger.warning("\(OperationFolderService.noMailServer)")
        }
        if !missing.isEmpty {
            logger.warning(
                "Secrets that operation files name are not set: weir secret set NAME.",
                metadata: ["secrets": "\(missing.joined(separator: ", "))"])
        }
    }

    /// How long the server waits until messages about its stop are sent; the others follow at the next start.
    private static let patience = Duration.seconds(1)

    /// Sends notifications until the server shuts down.
    func run() async throws {
        await withTaskGroup { [notifier] group in
            group.addTask { await notifier.run() }
            group.addTask {
                guard (try? await gracefulShutdown()) != nil else { return }
                await notifier.settle(within: Self.patience)
            }
            await group.next()
            group.cancelAll()
        }
    }
}

extension Settings {
    /// The server's URL with a trailing slash, or nil until it listens.
    fileprivate func address(port: Int?) -> String? {
        if let url = text("public-url") { return url.hasSuffix("/") ? url : url + "/" }
        return port.map(localURL)
    }

    /// The server's URL on this machine, with a trailing slash.
    func localURL(port: Int) -> String {
        let host = text("host") ?? "127.0.0.1"
        let reachable = ["0.0.0.0", "::"].contains(host) ? "127.0.0.1" : host
        let scheme = text("tls.cert") == nil ? "http" : "https"
        return "\(scheme)://\(reachable.contains(":") ? "[\(reachable)]" : reachable):\(port)/"
    }
}

extension OperationFolderService {
    static let noMailServer =
        "Notifications by e-mail are not sent without a mail server. Set mail.server and mail.from."

    /// The names of the secrets that a plan and the files use and that are not set.
    func missingSecrets(_ plan: HookPlan) -> [String] {
        plan.secrets.union(keptSecrets).filter { secrets.value($0) == nil }.sorted()
    }

    /// The triggers and notifications of the files, and the notifications that the settings define for all operations.
    func hooks(_ settings: Settings) -> HookPlan {
        var plan = HookPlan()
        plan.standard = settings.notifications
        plan.exempt = StandardCatalog.watchedIDs
        for definition in definitions {
            if !definition.triggers.isEmpty { plan.triggers[definition.id] = definition.triggers }
            plan.notifications[definition.id] = definition.notifications
            plan.exempt.formUnion(definition.parts.map(\.id))
        }
        return plan
    }
}
