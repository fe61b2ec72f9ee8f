import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import WeirFlows

/// Handles one request of AsyncHTTPClient: reports each step, keeps the beginning of the body, and stops at a limit.
///
/// It is called on the request's event loop; the lock is for the task that reads the answer afterwards.
final class HTTPExchangeDelegate: HTTPClientResponseDelegate {
    /// Ends a request of which enough has been read.
    ///
    /// Never seen outside of an exchange.
    struct Enough: Error {}

    private let answer: Locked<HTTPAnswer>
    private let keeping: Int
    private let limit: Int64
    private let target: HTTPTarget
    private let trace: HTTPTrace
    private let onEvent: @Sendable (HTTPEvent) -> Void

    init(
        target: HTTPTarget, url: String, keeping: Int, limit: Int64, trace: HTTPTrace,
        onEvent: @escaping @Sendable (HTTPEvent) -> Void
    ) {
        self.target = target
        self.trace = trace
        answer = Locked(HTTPAnswer(url: url))
        self.keeping = keeping
        self.limit = limit
        self.onEvent = onEvent
    }

    /// The answer as far as it has come.
    var current: HTTPAnswer { answer.withLock { $0 } }

    func didSendRequestHead(task: HTTPClient.Task<HTTPAnswer>, _ head: HTTPRequestHead) {
        trace.connected(to: target)
        trace.sent(head)
        onEvent(.waiting(method: head.method.rawValue, url: current.url))
    }

    func didReceiveHead(task: HTTPClient.Task<HTTPAnswer>, _ head: HTTPResponseHead) -> EventLoopFuture<Void> {
        let begun = answer.withLock { answer in
            answer.status = Int(head.status.code)
            answer.reason = head.status.reasonPhrase
            answer.headers = head.headers.map { HeaderField($0.name, $0.value) }
            answer.announced = head.headers.first(name: "content-length").flatMap(HTTPAnswer.length)
            return answer
        }
        trace.received(head)
        if begun.redirection != nil { return task.eventLoop.makeFailedFuture(Enough()) }
        onEvent(.receiving(status: begun.status, bytes: 0, total: begun.announced))
        return task.eventLoop.makeSucceededVoidFuture()
    }

    func didReceiveBodyPart(task: HTTPClient.Task<HTTPAnswer>, _ buffer: ByteBuffer) -> EventLoopFuture<Void> {
        let now = answer.withLock { answer in
            let missing = min(keeping - answer.body.count, buffer.readableBytes)
            if missing > 0 { answer.body.append(contentsOf: buffer.readableBytesView.prefix(missing)) }
            answer.size += Int64(buffer.readableBytes)
            answer.isWhole = answer.size <= limit
            return (status: answer.status, size: answer.size, announced: answer.announced, isWhole: answer.isWhole)
        }
        onEvent(.receiving(status: now.status, bytes: now.size, total: now.announced))
        return now.isWhole ? task.eventLoop.makeSucceededVoidFuture() : task.eventLoop.makeFailedFuture(Enough())
    }

    func didFinishRequest(task: HTTPClient.Task<HTTPAnswer>) throws -> HTTPAnswer { current }
}
