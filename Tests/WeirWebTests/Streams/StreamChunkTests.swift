import Foundation
import NIOCore
import Testing
import TestSupport
@testable import WeirBoards
import WeirJournals
import WeirStates

@testable import WeirWeb

/// What chunks of a stream have, and what a cache may do with them: sections 4, 5.6 and 10.1 of the Durable Streams protocol.
@Suite(.timeLimit(.minutes(15)))
struct StreamChunkTests {
    private static let board = "/api/v1/streams/board"

    private func offset(_ answer: RawResponse) throws -> String { try #require(answer["stream-next-offset"]) }

    // 4: immutable by position, 5.6: chunks
    @Test func `what was read stays what it is, however much follows`() async throws {
        try await TestServer.run(reporting: true) { server in
            let path = "/api/v1/streams/reported/deploy/r1"
            let json = "Content-Type: application/json"
            _ = try await server.ask("PUT", path, body: "")
            let large = String(repeating: "x", count: 60_000)
            for number in 0..<6 {
                let body = #"{"state":"s","n":\#(number),"text":"\#(large)"}"#
                #expect(try await server.ask("POST", path, headers: [json], body: body).status == 204)
            }
            var (query, found, pages) = ("", [Int64](), 0)
            var first: RawResponse?
            while true {
                let page = try await server.ask("GET", "/api/v1/streams/run-r1" + query)
                #expect(page.body.count <= StreamChunk.byteLimit + 100_000)
                found += try #require(try page.json().array).compactMap { $0["state"]?["n"]?.integer }
                first = first ?? page
                pages += 1
                query = "?offset=" + (try offset(page))
                if page["stream-up-to-date"] == "true" { break }
            }
            #expect(found == Array(0..<6))
            #expect(pages > 1)
            _ = try await server.ask("POST", path, headers: [json], body: #"{"state":"t"}"#)
            let again = try await server.ask("GET", "/api/v1/streams/run-r1")
            #expect(again.body == first?.body)
            #expect(again["etag"] == first?["etag"])
        }
    }

    @Test(arguments: [(1_000, 1_000, false), (1_001, 1_001, true), (10, 11, true), (0, 3, true), (0, 0, false)])
    func `who has read some of a run's lines is told that there are more, however many were at hand`(
        count: Int, head: Int64, more: Bool
    ) async throws {
        try await TestServer.run { server in
            let lines = (0..<count).map { number in
                OutputLine(
                    number: SequenceNumber(clamping: number + 1),
                    draft: OutputDraft(
                        at: Timestamp(milliseconds: 0), channel: .standardOutput, text: "a", continues: false))
            }
            for name in [StreamName.feed(.output("r1")), .text(run: "r1")] {
                let chunk = server.dashboard.streamResponder.answers.chunk(
                    of: name, lines, after: 0, head: SequenceNumber(clamping: head), isClosed: false)
                #expect(chunk.more == more, "\(name)")
            }
        }
    }

    @Test func `a stretch of a run's stream in which nothing stands is not its end`() async throws {
        try await TestServer.run { server in
            let chunk = server.dashboard.streamResponder.answers.chunk(
                of: .run("r1"), [], after: 3, through: 7, more: false)
            #expect(chunk.to == 7 && !chunk.isClosed && !chunk.more)
            #expect(String(buffer: chunk.body) == "[]")
        }
    }

    // 5.6: chunks
    @Test func `a long history comes in pages, from memory or not, each change once`() async throws {
        for tailLimit in [5, 10_000] {
            try await TestServer.run(tailLimit: tailLimit, reporting: true) { server in
                let entries = (0..<1_250).map {
                    Report.Entry.state(StateRecord(caseName: "n", payload: ["n": .integer(Int64($0))], phase: .active))
                }
                _ = try await server.board.report(
                    Report(
                        run: "long", operation: "deploy", reporter: "a",
                        opening: RunOpening(actor: "a", input: [:], report: RunReport())))
                _ = try await server.board.report(
                    Report(run: "long", operation: "deploy", reporter: "a", entries: entries, ending: .closed(nil)))
                var numbers: [Int64] = []
                var query = ""
                while true {
                    let page = try await server.ask("GET", "/api/v1/streams/run-long" + query)
                    let messages = try #require(try page.json().array)
                    numbers += messages.compactMap { $0["state"]?["n"]?.integer }
                    query = "?offset=" + (try offset(page))
                    if page["stream-up-to-date"] == "true" {
                        #expect(page["stream-closed"] == "true")
                        break
                    }
                    #expect(page["stream-closed"] == nil)
                    #expect(!messages.isEmpty)
                }
                #expect(numbers == Array(0..<1_250))
            }
        }
    }

    @Test func `what a run prints is a stream of lines, and one of text, which end with it`() async throws {
        try await TestServer.run(printing: true) { server in
            let run = try await server.board.start("printer", input: ["lines": 1_500], actor: "test").run
            server.gate.finish()
            await server.board.outcome(of: run)
            try await until { server.board.feed.output(of: run)?.isClosed ?? true }
            var lines: [String] = []
            var query = ""
            while true {
                let page = try await server.ask("GET", "/api/v1/streams/output-\(run)" + query)
                lines += try #require(try page.json().array).compactMap { $0["text"]?.string }
                query = "?offset=" + (try offset(page))
                if page["stream-closed"] == "true" { break }
            }
            #expect(lines.count == 1_500)
            var text = ""
            query = ""
            while true {
                let page = try await server.ask("GET", "/api/v1/streams/output-\(run)/text" + query)
                #expect(page["content-type"] == "text/plain; charset=utf-8")
                text += page.text
                query = "?offset=" + (try offset(page))
                if page["stream-closed"] == "true" { break }
            }
            #expect(text == lines.map { $0 + "\n" }.joined())
            #expect(try await server.ask("GET", "/api/v1/streams/output-\(run)/text?offset=now").text.isEmpty)
            #expect(try await server.ask("GET", "/api/v1/streams/output-\(run)/text?live=sse&offset=now").status == 400)
        }
    }

    // 5.6 and 10.1
    @Test func `a tag names what was read, changes with the end, and spares what is known`() async throws {
        try await TestServer.run { server in
            let run = try await server.start().run
            let path = "/api/v1/streams/run-\(run)"
            let open = try await server.ask("GET", path)
            let tag = try #require(open["etag"])
            let known = try await server.ask("GET", path, headers: ["If-None-Match: \"x\", \(tag)"])
            #expect(known.status == 304)
            #expect(try await server.ask("GET", path, headers: ["If-None-Match: *"]).status == 304)
            #expect(known.body.isEmpty)
            #expect(known["etag"] == tag)
            #expect(try await server.ask("GET", path, headers: ["If-None-Match: \"x\""]).status == 200)
            let tail = try await server.ask("GET", path + "?offset=" + offset(open))
            server.gate.finish()
            await server.board.outcome(of: run)
            let end = try offset(try await server.ask("HEAD", path))
            let last = try await server.ask("GET", path + "?offset=" + offset(open))
            #expect(last["etag"] != tail["etag"])
            #expect(last["stream-closed"] == "true")
            let eof = try await server.ask("GET", path + "?offset=" + end)
            #expect(eof.text == "[]")
            #expect(eof["stream-closed"] == "true")
            #expect(eof["etag"] != last["etag"])
        }
    }

    // 10.1
    @Test func `what follows a place is kept by caches, an empty tail and a beginning are asked for anew`() async throws
    {
        try await TestServer.run { server in
            _ = try await server.start()
            let all = try await server.ask("GET", Self.board)
            #expect(all["cache-control"] == "no-cache")
            let first = try offset(all).replacingOccurrences(of: "0000000000000002", with: "0000000000000001")
            let chunk = try await server.ask("GET", Self.board + "?offset=" + first)
            #expect(chunk["cache-control"] == "public, max-age=60, stale-while-revalidate=300")
            #expect(try await server.ask("GET", Self.board + "?offset=" + offset(all))["cache-control"] == "no-cache")
            #expect(all["x-content-type-options"] == "nosniff")
            #expect(all["cross-origin-resource-policy"] != nil)
        }
    }

    @Test func `lines that many read are encoded once for all of them`() async throws {
        try await TestServer.run(printing: true) { server in
            let run = try await server.board.start("printer", input: ["lines": 3], actor: "test").run
            try await until { server.board.feed.output(of: run)?.head == 3 }
            let before = server.dashboard.streamResponder.answers.encodings
            for _ in 0..<3 {
                let page = try await server.ask("GET", "/api/v1/streams/output-\(run)")
                #expect(try page.json().array?.count == 3)
            }
            #expect(server.dashboard.streamResponder.answers.encodings == before + 1)
            server.gate.finish()
        }
    }
}
