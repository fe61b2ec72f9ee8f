import Logging
import Synchronization
import WeirAccess
import WeirStandard
import WeirStates

/// Says the audit's newest hash where nobody who can write its files can unsay it: in the log, or to another server.
///
/// A redirect of that server is an error, as it is no place that an operator has named.
final class AuditHead: Sendable {
    private let audit: AuditLog
    private let isLogged: Bool
    private let url: String?
    private let post = HTTPPost(environment: OperationEnvironment())
    private let logger: Logger
    private let said = Mutex("")

    init(_ audit: AuditLog, settings: Settings, logger: Logger) {
        self.audit = audit
        isLogged = settings.text("audit.head-log") == "yes"
        url = settings.text("audit.head-url")
        self.logger = logger
    }

    /// Says it every hour, until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            await say()
            do {
                try await Task.sleep(for: .seconds(3_600))
            } catch {
                return
            }
        }
    }

    /// Says it, if it is another one than before.
    func say() async {
        guard isLogged || url != nil else { return }
        let head = audit.head
        let isNews = said.withLock { said in
            defer { said = head }
            return said != head
        }
        guard isNews else { return }
        if isLogged { logger.notice("The audit has come to this head.", metadata: ["head": "\(head)"]) }
        guard let url else { return }
        do {
            let answer = try await post.send(
                JSONValue.object(["head": .string(head)]).text(), to: url,
                headers: ["content-type": "application/json"], timeout: .seconds(2))
            guard (200..<300).contains(answer.status) else {
                throw StartError.unavailable("It was answered with \(answer.status).")
            }
        } catch {
            said.withLock { $0 = "" }
            logger.error("The audit's head could not be sent.", metadata: ["cause": "\(Quoted(error))"])
        }
    }
}
