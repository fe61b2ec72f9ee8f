import Foundation
import NIOCore
import NIOPosix
import States
import Synchronization

@testable import WeirClient

/// A server on 127.0.0.1 that answers each request as the test says.
final class ScriptedServer: Sendable {
    struct Request: Sendable, Equatable {
        let method: String
        /// The path with its query, behind `/api/v1`.
        let path: String
        let headers: [String: String]
        let body: JSONValue?
    }

    struct Answer: Sendable {
        var status = "200 OK"
        var headers: [String: String] = [:]
        var body: JSONValue = [:]

        static func refusal(_ status: String) -> Answer {
            Answer(status: status, body: ["type": "urn:weir:problem:refused", "detail": "It is refused."])
        }

        fileprivate var text: String {
            let content = (try? body.text()) ?? ""
            let fields = headers.map { "\($0.key): \($0.value)\r\n" }.joined()
            return "HTTP/1.1 \(status)\r\nContent-Length: \(content.utf8.count)\r\n\(fields)Connection: close\r\n\r\n"
                + content
        }
    }

    private final class Log: Sendable {
        let requests = Mutex<[Request]>([])
    }

    private let log: Log
    private let channel: any Channel

    var requests: [Request] { log.requests.withLock { $0 } }

    /// Binds; the closure is given the request's number, from 1, and the request.
    init(_ answer: @escaping @Sendable (Int, Request) -> Answer) async throws {
        let log = Log()
        self.log = log
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { child in
                child.eventLoop.makeCompletedFuture {
                    try child.pipeline.syncOperations.addHandler(
                        Handler { request in
                            let number = log.requests.withLock { requests in
                                requests.append(request)
                                return requests.count
                            }
                            return answer(number, request)
                        })
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    deinit { channel.close(promise: nil) }

    /// Asks it for as long as the body runs.
    func with<Result: Sendable>(_ body: (ServerClient) async throws -> Result) async throws -> Result {
        let address = "http://127.0.0.1:\(channel.localAddress?.port ?? 0)"
        let connection = try ServerConnection(.init(server: address), environment: [:], profiles: .init())
        return try await ServerClient.with(connection, body)
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer
        private let answer: (Request) -> Answer
        private var text = ""

        init(_ answer: @escaping (Request) -> Answer) { self.answer = answer }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            text += String(buffer: unwrapInboundIn(data))
            guard let end = text.firstRange(of: "\r\n\r\n") else { return }
            let lines = text[..<end.lowerBound].split(separator: "\r\n")
            let fields = lines.dropFirst().compactMap { line -> (String, String)? in
                let parts = line.split(separator: ": ", maxSplits: 1)
                return parts.count == 2 ? (parts[0].lowercased(), String(parts[1])) : nil
            }
            let headers = Dictionary(fields) { first, _ in first }
            let body = text[end.upperBound...]
            guard body.utf8.count >= headers["content-length"].flatMap({ Int($0) }) ?? 0 else { return }
            let words = (lines.first ?? "").split(separator: " ").map(String.init)
            let request = Request(
                method: words.first ?? "",
                path: words.dropFirst().first?.replacing("/api/v1", with: "", maxReplacements: 1) ?? "",
                headers: headers, body: try? JSONValue(parsing: String(body)))
            let channel = context.channel
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: answer(request).text))).whenComplete { _ in
                channel.close(promise: nil)
            }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
