import Foundation
import Synchronization
import Testing
import WeirFlows
import WeirStates

@testable import WeirCommand

@Suite(.timeLimit(.minutes(15)))
struct ReporterTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "weir-report-\(UUID().uuidString)")
    private let header = SpoolHeader(
        server: "http://127.0.0.1:8080", operation: "backup", run: "r1", title: "Backup", input: ["a": 1])

    private final class Told: Sendable {
        let sentences = Mutex<[String]>([])
    }

    /// Sends a spool that holds these messages.
    private func send(
        _ messages: [JSONValue], to server: ScriptedServer, lease: Duration = .seconds(30), told: Told = Told()
    ) async throws -> Reporter.End {
        defer { try? FileManager.default.removeItem(at: folder) }
        let spool = try Spool.make(in: folder, header: header)
        try spool.append(messages)
        return try await server.with { client in
            await Reporter(client, spool: spool, lease: lease, clock: VirtualClock(advancing: .onSleep)) { sentence in
                told.sentences.withLock { $0.append(sentence) }
            }.once()
        }
    }

    private func lines(_ numbers: Range<Int>) -> [JSONValue] { numbers.map { ["line": .string("\($0)")] } }
    private let ending: JSONValue = ["state": "succeeded", "phase": "succeeded"]

    @Test func `a long report arrives once and in order, in numbered requests of which the last ends the run`()
        async throws
    {
        // A server that took one request twice would refuse the rest.
        let server = try await ScriptedServer { number, _ in number <= 4 ? .init() : .refusal("400 Bad Request") }
        #expect(try await send(lines(0..<2_500) + [ending], to: server) == .delivered)
        let requests = server.requests
        #expect(requests.map(\.method) == ["PUT", "POST", "POST", "POST"])
        #expect(requests.allSatisfy { $0.path == "/streams/reported/backup/r1" })
        #expect(requests.first?.body == ["input": ["a": 1], "title": "Backup"])
        #expect(requests.dropFirst().map { $0.headers["producer-seq"] } == ["0", "1", "2"])
        #expect(requests.dropFirst().flatMap { $0.body?.array ?? [] } == lines(0..<2_500) + [ending])
        #expect(requests.map { $0.headers["stream-closed"] } == [nil, nil, nil, "true"])
    }

    @Test func `a server that is asked for less than a second waits a second`() async throws {
        let server = try await ScriptedServer { _, _ in .init() }
        #expect(try await send([ending], to: server, lease: .milliseconds(200)) == .delivered)
        #expect(server.requests.map { $0.headers["weir-lease"] } == ["1", "1"])
        let long = try await ScriptedServer { _, _ in .init() }
        #expect(try await send([ending], to: long, lease: .seconds(90)) == .delivered)
        #expect(long.requests.map { $0.headers["weir-lease"] } == ["90", "90"])
    }

    @Test func `what a proxy says while the server is away is waited out, and told once`() async throws {
        let told = Told()
        let server = try await ScriptedServer { number, _ in
            (2...4).contains(number) ? .init(status: "403 Forbidden", body: "away") : .init()
        }
        #expect(try await send([ending], to: server, told: told) == .delivered)
        #expect(server.requests.map(\.method) == ["PUT", "POST", "POST", "POST", "POST"])
        #expect(Set(server.requests.dropFirst().map { $0.headers["producer-seq"] }) == ["0"])
        let sentences = told.sentences.withLock { $0 }
        #expect(sentences.count == 2)
        #expect(sentences.first?.hasSuffix("and sent later.") == true)
        #expect(sentences.last == "Connected again.")
    }

    /// A server that has ended the run behind so many states and lines.
    private func server(endingAt revision: Int64, lines: Int64) async throws -> ScriptedServer {
        try await ScriptedServer { _, request in
            switch (request.method, request.path) {
            case ("GET", "/runs/r1"): .init(body: ["phase": "interrupted", "revision": .integer(revision)])
            case ("GET", _): .init(body: ["count": .integer(lines)])
            case ("POST", "/streams/reported/backup/r1"): .refusal("410 Gone")
            default: .init()
            }
        }
    }

    @Test func `a run that the server ended is continued in another with what had not arrived, and only that`()
        async throws
    {
        let messages = lines(0..<3) + [ending]
        // The state in which the server ends a run is none of those that were sent.
        let lost = try await server(endingAt: 1, lines: 0)
        #expect(try await send(messages, to: lost) == .delivered)
        let last = try #require(lost.requests.last)
        #expect(last.path == "/streams/reported/backup/r1-2")
        #expect(last.body?.array == messages)
        #expect(lost.requests.dropLast().last?.body?["input"]?["continues"] == "r1")
    }

    @Test func `what had arrived before the server ended the run is not sent again to the other`() async throws {
        let states: [JSONValue] = (0..<1_000).map { ["state": .string("s\($0)")] }
        let arrived = try await server(endingAt: 1_001, lines: 0)
        #expect(try await send(states + [ending], to: arrived) == .delivered)
        let others = arrived.requests.filter { $0.path == "/streams/reported/backup/r1-2" && $0.method == "POST" }
        #expect(others.flatMap { $0.body?.array ?? [] } == [ending])
    }

    @Test func `a run that somebody cancelled is reported no further`() async throws {
        let server = try await ScriptedServer { _, request in
            switch request.method {
            case "GET": .init(body: ["phase": "cancelled"])
            case "POST": .refusal("410 Gone")
            default: .init()
            }
        }
        #expect(try await send(lines(0..<3), to: server) == .cancelled)
        #expect(server.requests.map(\.method) == ["PUT", "POST", "GET"])
    }

    @Test func `all there is arrives also where nobody knows how the run ended`() async throws {
        let server = try await ScriptedServer { _, _ in .init() }
        #expect(try await send(lines(0..<3), to: server) == .unfinished)
        #expect(server.requests.flatMap { $0.body?.array ?? [] } == lines(0..<3))
        #expect(server.requests.last?.body == ["beat": true])
    }

    @Test func `a sign of life is sent at each beat, and not for news that bring nothing`() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let server = try await ScriptedServer { _, _ in .init() }
        let spool = try Spool.make(in: folder, header: header)
        let signals = AsyncStream<ReportSignal> { continuation in
            for signal in [ReportSignal.news, .beat, .beat] { continuation.yield(signal) }
            continuation.finish()
        }
        let end = try await server.with { client in
            await Reporter(client, spool: spool, lease: .seconds(30), clock: VirtualClock(advancing: .onSleep)) { _ in }
                .run(signals)
        }
        #expect(end == .unfinished)
        // One at the beginning, and one for each beat.
        #expect(server.requests.dropFirst().map(\.body) == Array(repeating: ["beat": true], count: 3))
    }
}
