import Access
import AsyncHTTPClient
import Foundation
import Logging
import NIOCore
import NIOHTTP1
import States
import Synchronization

/// Says the audit's newest hash where nobody who can write its files can unsay it: in the log, or to another server.
final class AuditHead: Sendable {
    private let audit: AuditLog
    private let isLogged: Bool
    private let url: String?
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
            var request = HTTPClientRequest(url: url)
            request.method = .POST
            request.headers.add(name: "content-type", value: "application/json")
            request.body = .bytes(ByteBuffer(string: try JSONValue.object(["head": .string(head)]).text()))
            let response = try await HTTPClient.shared.execute(request, timeout: .seconds(2))
            guard (200..<300).contains(response.status.code) else { throw StartError.unavailable("\(response.status)") }
        } catch {
            said.withLock { $0 = "" }
            logger.error("The audit's head could not be sent.", metadata: ["cause": "\(Quoted(error))"])
        }
    }
}
