import Foundation
import NIOHTTP1
import Synchronization
import Testing
import TestSupport
import WeirFlows
import WeirStates

@testable import WeirCommand

/// Servers that accept a request and do not end.
@Suite(.timeLimit(.minutes(15)))
struct StallTests {
    private static let header = "HTTP/1.1 200 OK\r\nContent-Length: 900000\r\n\r\n"

    private func ask<Result: Sendable>(
        _ server: RequestListener, silence: Duration = .seconds(60), clock: any Clock<Duration> = VirtualClock(),
        _ body: (ServerClient) async throws -> Result
    ) async throws -> Result {
        var deadlines = ServerClient.Deadlines()
        deadlines.silence = silence
        let connection = try ServerConnection(.init(server: server.url), environment: [:], profiles: .init())
        return try await ServerClient.with(connection, deadlines: deadlines, clock: clock, body)
    }

    @Test(arguments: ["", "HTTP/1.1 200 OK\r\nContent-Le", header, header + "{\"a\": "])
    func `a server that stays silent before its answer or within it is reported`(answer: String) async throws {
        let server = try await RequestListener(hangsUp: false) { _ in answer }
        let error = await #expect(throws: ClientError.self) {
            try await ask(server, silence: .milliseconds(300)) { try await $0.succeed(get: ["operations"]) }
        }
        #expect(error?.exitCode == 69 && error?.isTemporary == true)
        #expect(
            error?.description
                == "No server answers at \(server.url): it does not answer in time. Start it with `weir serve`, or name another with --server."
        )
    }

    @Test func `an answer that falls behind the lowest rate is given up, however it comes`() async throws {
        let clock = VirtualClock()
        let server = try await RequestListener(hangsUp: false) { _ in Self.header + "{\"a\": " }
        let work = Task { try await ask(server, clock: clock) { try await $0.succeed(get: ["operations"]) } }
        await clock.sleepers(1)
        clock.advance(by: .seconds(30))
        let error = await #expect(throws: ClientError.self) { try await work.value }
        #expect(error?.cause == "No server answers at \(server.url): it does not answer in time.")
    }

    @Test func `a transfer goes on while each interval brings enough, and is given up after one that does not`()
        async throws
    {
        let (clock, count) = (VirtualClock(), ProgressCount())
        let (never, end) = AsyncStream.makeStream(of: Void.self)
        let work = Task {
            try await count.watched(atLeast: 1_000, in: .seconds(30), clock: clock) {
                for await _ in never {}
                try Task.checkCancellation()
            }
        }
        for _ in 0..<5 {
            await clock.sleepers(1)
            count.add(1_000)
            clock.advance(by: .seconds(30))
        }
        await clock.sleepers(1)
        count.add(999)
        clock.advance(by: .seconds(30))
        await #expect(throws: ProgressCount.Stalled.self) { try await work.value }
        end.finish()
    }

    @Test func `a file of which the server reads nothing is given up`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "weir-stall-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "large").path
        #expect(FileManager.default.createFile(atPath: path, contents: nil))
        let file = try #require(FileHandle(forWritingAtPath: path))
        // More than the system keeps for a connection.
        try file.truncate(atOffset: 256 << 20)
        try file.close()
        let clock = VirtualClock()
        let server = try await RequestListener(reads: false) { _ in "" }
        let upload = try UploadBody(fields: [], file: "file", path: path, boundary: "b")
        let isOver = Locked(false)
        let work = Task {
            defer { isOver.withLock { $0 = true } }
            return try await ask(server, clock: clock) { client in
                try await client.succeed(.POST, ["operations", "o", "runs"], content: .upload(upload))
            }
        }
        try await until {
            isOver.withLock { $0 }
        } otherwise: {
            clock.advance(by: .seconds(600))
        }
        let error = await #expect(throws: ClientError.self) { try await work.value }
        #expect(error?.cause == "No server answers at \(server.url): it does not answer in time.")
    }

    @Test func `a stream whose server stalls in an answer is read on, without a gap`() async throws {
        let count = Mutex(0)
        let sentences = Mutex<[String]>([])
        let server = try await RequestListener(hangsUp: false) { request in
            let number = count.withLock { count in
                count += 1
                return count
            }
            switch number {
            case 1: return RequestListener.http("200 OK", "[\"1\"]", fields: "Stream-Next-Offset: a_1\r\n")
            case 2: return Self.header + "[\"2\", "
            default:
                return RequestListener.http(
                    "200 OK", request.path.contains("offset=a_1&") ? "[\"2\"]" : "[]",
                    fields: "Stream-Next-Offset: a_2\r\nStream-Closed: true\r\n")
            }
        }
        let all = try await ask(server, silence: .milliseconds(300)) { client in
            var follower = StreamFollower(
                client, stream: "run-1", isLive: true, clock: VirtualClock(advancing: .onSleep)
            ) { sentence in sentences.withLock { $0.append(sentence) } }
            var all: [JSONValue] = []
            while let messages = try await follower.next() { all += messages }
            return all
        }
        #expect(all == ["1", "2"])
        #expect(sentences.withLock { $0 }.last == "Connected again.")
    }

    @Test(arguments: ["", header])
    func `a report to a server that stalls is kept, and given up when it is cancelled`(answer: String) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "weir-stall-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let header = SpoolHeader(server: "http://127.0.0.1", operation: "o", run: "r", title: nil, input: [:])
        let spool = try Spool.make(in: folder, header: header)
        try spool.append([["line": "1"]])
        let asked = Mutex(false)
        let server = try await RequestListener(hangsUp: false) { _ in
            asked.withLock { $0 = true }
            return answer
        }
        let end = try await ask(server) { client in
            let work = Task { await Reporter(client, spool: spool, lease: .seconds(30)) { _ in }.once() }
            try await until { asked.withLock { $0 } }
            work.cancel()
            // A silent server is waited for a minute here.
            return await soon(within: .seconds(30)) { await work.value }
        }
        #expect(end == .left)
        #expect(try spool.batch(at: spool.place)?.messages == [["line": "1"]])
    }
}
