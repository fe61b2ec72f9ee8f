import Foundation
import Logging
import Synchronization
import Testing
import TestSupport
import WeirAccess

@testable import WeirCommand

@Suite(.timeLimit(.minutes(15))) struct AuditHeadTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "weir-head-\(UUID())")

    /// What the audit's head is sent to answers so, to the first of these requests.
    private func sent(_ answer: @escaping @Sendable (RequestListener.Request) -> String) async throws -> (
        requests: [RequestListener.Request], head: String, log: [String]
    ) {
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
        let requests = Mutex<[RequestListener.Request]>([])
        let listener = try await RequestListener { request in
            requests.withLock { $0.append(request) }
            return answer(request)
        }
        let audit = try AuditLog(folder: folder)
        await audit.flush()
        let book = CapturedLog()
        let settings = try Settings(
            flags: [:], environment: ["WEIR_AUDIT_HEAD_URL": listener.url + "/head"], file: nil)
        await AuditHead(audit, settings: settings, logger: book.logger).say()
        return (requests.withLock { $0 }, audit.head, book.messages(at: .error))
    }

    @Test func `the newest hash of the audit is posted to the address that the setting names`() async throws {
        let (requests, head, log) = try await sent { _ in RequestListener.http("204 No Content", "") }
        #expect(requests.map(\.method) == ["POST"] && requests.map(\.path) == ["/head"])
        #expect(requests.first?.body == #"{"head":"\#(head)"}"#)
        #expect(log.isEmpty)
    }

    // S1, S5
    @Test(arguments: ["http://127.0.0.1:99999/", "/api/v1/stores/x/reset"])
    func `a redirect of that address is an error, as it leads where nobody has named`(place: String) async throws {
        let (requests, _, log) = try await sent { _ in
            RequestListener.http("307 Temporary Redirect", "", fields: "Location: \(place)\r\n")
        }
        #expect(requests.count == 1)
        #expect(log == ["The audit's head could not be sent."])
    }
}
