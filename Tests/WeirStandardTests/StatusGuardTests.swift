import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing
@testable import WeirStandard

struct StatusGuardTests {
    private func answered(_ text: String) throws -> (channel: EmbeddedChannel, problem: (any Error)?) {
        let channel = EmbeddedChannel()
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 80)).wait()
        try channel.pipeline.syncOperations.addHandler(HTTPRequestEncoder())
        // As the client has it: what comes before the answer is passed on.
        try channel.pipeline.syncOperations.addHandler(
            ByteToMessageHandler(HTTPResponseDecoder(informationalResponseStrategy: .forward)))
        try StatusGuard.add(to: channel).wait()
        try channel.writeOutbound(
            HTTPClientRequestPart.head(HTTPRequestHead(version: .http1_1, method: .GET, uri: "/")))
        do { try channel.writeInbound(ByteBuffer(string: text)) } catch { return (channel, error) }
        return (channel, nil)
    }

    @Test func `a peer that answers with a status below 100 is told apart, and nothing more is read from it`() throws {
        let (channel, problem) = try answered("HTTP/1.1 099 Odd\r\nContent-Length: 0\r\n\r\n")
        #expect((problem as? StatusGuard.NoStatus)?.code == 99)
        #expect(try channel.readInbound(as: HTTPClientResponsePart.self) == nil)
        #expect(!channel.isActive)
    }

    @Test func `an answer with a status passes as it came`() throws {
        let (channel, problem) = try answered("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        #expect(problem == nil)
        guard case .head(let head)? = try channel.readInbound(as: HTTPClientResponsePart.self) else {
            Issue.record("The head did not pass.")
            return
        }
        #expect(head.status == .ok)
        #expect(channel.isActive)
        _ = try channel.finish(acceptAlreadyClosed: true)
    }

    @Test func `a peer that asks to go on before its answer is heard, and the answer after it`() throws {
        let (channel, problem) = try answered(
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n")
        #expect(problem == nil)
        var statuses: [UInt] = []
        while let part = try channel.readInbound(as: HTTPClientResponsePart.self) {
            if case .head(let head) = part { statuses.append(head.status.code) }
        }
        #expect(statuses == [100, 204])
        #expect(channel.isActive)
        _ = try channel.finish(acceptAlreadyClosed: true)
    }
}
