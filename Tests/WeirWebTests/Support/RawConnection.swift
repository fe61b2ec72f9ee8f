import Foundation
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix

/// A connection that sends just the bytes a test wants, and reads answers one after the other.
actor RawConnection {
    /// The server ended the connection before an answer was whole.
    struct Ended: Error {
        let received: String
    }

    /// As C lays `struct linger` out.
    private struct Linger: Sendable {
        let isOn: Int32
        let seconds: Int32
    }

    private final class Inbox: ChannelInboundHandler, Sendable {
        typealias InboundIn = ByteBuffer
        let continuation: AsyncStream<ByteBuffer>.Continuation

        init(_ continuation: AsyncStream<ByteBuffer>.Continuation) { self.continuation = continuation }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) { continuation.yield(unwrapInboundIn(data)) }
        func channelInactive(context: ChannelHandlerContext) { continuation.finish() }
        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }

    private let channel: any Channel
    private var pieces: AsyncStream<ByteBuffer>.Iterator
    private var buffer = Data()

    private init(channel: any Channel, pieces: AsyncStream<ByteBuffer>) {
        self.channel = channel
        self.pieces = pieces.makeAsyncIterator()
    }

    /// Connects; one that is not reading takes no byte of what it is sent, and has little room for it.
    static func open(port: Int, isReading: Bool = true) async throws -> RawConnection {
        let (stream, continuation) = AsyncStream<ByteBuffer>.makeStream()
        var bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        if !isReading {
            bootstrap = bootstrap.channelOption(.autoRead, value: false)
                .channelOption(.socketOption(.so_rcvbuf), value: 4_096)
        }
        let channel =
            try await bootstrap
            .channelInitializer { channel in channel.pipeline.addHandler(Inbox(continuation)) }
            .connect(host: "127.0.0.1", port: port).get()
        return RawConnection(channel: channel, pieces: stream)
    }

    /// Reads from now on.
    func read() async throws { try await channel.setOption(.autoRead, value: true).get() }

    /// Sends bytes as they are.
    func send(raw text: String) async throws {
        try await channel.writeAndFlush(ByteBuffer(string: text))
    }

    /// Sends bytes as far as they are taken, and does not wait for that.
    func pour(_ text: String) { channel.writeAndFlush(ByteBuffer(string: text), promise: nil) }

    /// Sends a request.
    func send(_ method: String, _ path: String, headers: [String] = [], body: String? = nil) async throws {
        var lines = ["\(method) \(path) HTTP/1.1"]
        if !headers.contains(where: { $0.lowercased().hasPrefix("host:") }) { lines.append("Host: localhost") }
        lines += headers
        if let body { lines.append("Content-Length: \(body.utf8.count)") }
        try await send(raw: lines.joined(separator: "\r\n") + "\r\n\r\n" + (body ?? ""))
    }

    /// The status of the next answer as soon as its head has come, on a connection that is not reading, too.
    ///
    /// The answer is still to be taken.
    func status() async throws -> Int {
        channel.read()
        while buffer.range(of: Data("\r\n\r\n".utf8)) == nil { try await more() }
        return Int(String(decoding: buffer, as: UTF8.self).split(separator: " ")[1]) ?? 0
    }

    /// Reads the next answer.
    ///
    /// Throws `Ended` when the connection ends before.
    func response(isHead: Bool = false) async throws -> RawResponse {
        let separator = Data("\r\n\r\n".utf8)
        while buffer.range(of: separator) == nil { try await more() }
        guard let end = buffer.range(of: separator) else { throw Ended(received: "") }
        let lines = String(decoding: buffer[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            headers[parts[0].lowercased()] = parts.count > 1 ? parts[1].drop { $0 == " " }.description : ""
        }
        buffer = Data(buffer[end.upperBound...])
        let status = Int(lines[0].split(separator: " ")[1]) ?? 0
        if headers["transfer-encoding"] == "chunked", !isHead {
            return RawResponse(status: status, headers: headers, body: try await chunks())
        }
        let length = isHead || status == 304 ? 0 : Int(headers["content-length"] ?? "0") ?? 0
        while buffer.count < length { try await more() }
        let body = Data(buffer.prefix(length))
        buffer = Data(buffer.dropFirst(length))
        return RawResponse(status: status, headers: headers, body: body)
    }

    /// A body whose pieces each tell their length, put together.
    private func chunks() async throws -> Data {
        var body = Data()
        while true {
            while buffer.range(of: Data("\r\n".utf8)) == nil { try await more() }
            guard let end = buffer.range(of: Data("\r\n".utf8)),
                let length = Int(String(decoding: buffer[..<end.lowerBound], as: UTF8.self), radix: 16)
            else { throw Ended(received: "") }
            buffer = Data(buffer[end.upperBound...])
            while buffer.count < length + 2 { try await more() }
            body += buffer.prefix(length)
            buffer = Data(buffer.dropFirst(length + 2))
            if length == 0 { return body }
        }
    }

    /// Whether the server ends the connection now, without another byte.
    func isEnded() async -> Bool {
        guard buffer.isEmpty else { return false }
        return await nextPiece() == nil
    }

    /// Ends the connection as a program does that is over (FIN).
    func close() async {
        channel.close(promise: nil)
        await ended()
    }

    /// Breaks the connection off (RST).
    func reset() async throws {
        let options = channel as? any SocketOptionProvider
        try await options?.unsafeSetSocketOption(level: .socket, name: .so_linger, value: Linger(isOn: 1, seconds: 0))
            .get()
        channel.close(promise: nil)
        await ended()
    }

    private func ended() async {
        _ = await withCheckedContinuation { continuation in
            channel.closeFuture.whenComplete { _ in continuation.resume(returning: ()) }
        }
    }

    private func more() async throws {
        guard let piece = await nextPiece() else {
            throw Ended(received: String(decoding: buffer, as: UTF8.self))
        }
        buffer.append(contentsOf: piece.readableBytesView)
    }

    private func nextPiece() async -> ByteBuffer? {
        var iterator = pieces
        let piece = await iterator.next(isolation: self)
        pieces = iterator
        return piece
    }
}
