import Foundation
import Testing
import WeirBoards
import WeirJournals
import WeirStates

@testable import WeirWeb

@Suite(.timeLimit(.minutes(15)))
struct CompressedPollTests {
    private static let gzip = ["Accept-Encoding: gzip, deflate, br"]

    @Test func `whoever takes gzip is sent the same changes compressed, in a third of the bytes`() async throws {
        try await TestServer.run { server in
            _ = try await server.start("World")
            let url = "/live/1/operation-steps/\(server.board.epoch)/0/now"
            let plain = try await server.ask("GET", url)
            let small = try await server.ask("GET", url, headers: Self.gzip)
            #expect(plain["content-encoding"] == nil && small["content-encoding"] == "gzip")
            #expect(plain["vary"] == nil && small["vary"] == "Accept-Encoding")
            #expect(small.body.count < plain.body.count / 3)
            #expect(small["content-length"] == String(small.body.count))
            #expect(try gunzip(small.body) == plain.body)
        }
    }

    @Test func `those who wait together are each answered in their coding`() async throws {
        let clock = ManualClock()
        try await TestServer.run(clock: clock) { server in
            let url = try server.tail()
            let (plain, small) = (try await server.connect(), try await server.connect())
            try await plain.send("GET", url)
            try await small.send("GET", url, headers: Self.gzip)
            try await server.untilHeld(2)
            let before = server.dashboard.pollResponder.answers.encodings
            _ = try await server.start()
            clock.advance(by: 500)
            let answers = (try await plain.response(), try await small.response())
            #expect(answers.0["content-encoding"] == nil && answers.1["content-encoding"] == "gzip")
            #expect(try gunzip(answers.1.body) == answers.0.body)
            #expect(server.dashboard.pollResponder.answers.encodings == before + 1)
        }
    }

    @Test func `a run's next state takes at most 1,500 compressed bytes on every page`() async throws {
        try await TestServer.run { server in
            var run = ""
            for number in 0..<12 {
                run = try await server.start("World \(number)").run
                try await expectSmallAnswer(server, run)
                _ = try await server.board.cancel(run, actor: "test")
                try await expectSmallAnswer(server, run)
            }
        }
    }

    private func expectSmallAnswer(_ server: TestServer, _ run: String) async throws {
        let before = server.board.feed.head(of: .board).rawValue - 1
        for feed in ["board", "runs", "operation-steps", "run-\(run)"] {
            let url = "/live/1/\(feed)/\(server.board.epoch)/\(before)/now"
            let answer = try await server.ask("GET", url, headers: Self.gzip)
            let plain = try await server.ask("GET", url)
            #expect(try plain.json()["ev"]?.array?.count == 1)
            #expect(answer.body.count <= 1_500, "\(feed): \(plain.body.count) bytes, not compressed")
        }
    }

    @Test func `what says nothing new is too short to be compressed, and the same for everybody`() async throws {
        try await TestServer.run { server in
            let head = server.board.feed.head(of: .board)
            let answer = try await server.ask(
                "GET", "/live/1/board/\(server.board.epoch)/\(head)/now", headers: Self.gzip)
            #expect(answer["content-encoding"] == nil && answer["vary"] == nil)
            #expect(try answer.json()["k"] == "empty")
        }
    }
}
