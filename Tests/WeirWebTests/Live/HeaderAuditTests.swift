import Testing
import WeirBoards
import WeirJournals

@testable import WeirWeb

@Suite(.timeLimit(.minutes(15)))
struct HeaderAuditTests {
    // Protocol test 16
    @Test func `every answer says what it is, how long it may be kept, and nothing that would split a cache`()
        async throws
    {
        try await TestServer.run { server in
            let receipt = try await server.start()
            let epoch = server.board.epoch
            let head = server.board.feed.head(of: .board)
            let paths = [
                "/", "/operations/steps", "/runs", "/runs/" + receipt.run, "/gallery", "/system", "/nowhere",
                "/operations/nowhere", "/assets/weir.js", "/assets/nowhere.js", "/assets/%2e%2e/Package.swift",
                "/api/v1/operations", "/api/v1/runs", "/api/v1/runs/nowhere", "/api/v1/feeds/board/changes",
                "/api/v1/x",
                "/health/live", "/health/ready", "/hello?label=A", "/hello", "/live/1/board/snap", "/live/1/x/snap",
                "/live/1/board/\(epoch)/0/0", "/live/1/board/\(epoch)/0/now", "/live/1/board/\(epoch)/\(head)/now",
                "/live/1/board/\(epoch)/\(head)/0", "/live/1/board/other/0/0", "/live/1/board/\(epoch)/999/0",
                "/live/1/BOARD/snap",
                "/live/1/board/\(epoch)/0/0?x=1", "/?lang=pt-BR", "/?lang=xx",
            ]
            for path in paths {
                let answer = try await server.ask("GET", path, headers: ["Accept: text/html, */*"])
                #expect(answer["x-content-type-options"] == "nosniff", "\(path)")
                #expect(answer["content-length"] != nil, "\(path)")
                #expect(answer["date"] != nil, "\(path)")
                let caching = try #require(answer["cache-control"], "\(path)")
                if answer.status >= 400 { #expect(caching == "no-store", "\(path)") }
                if answer["content-type"]?.hasPrefix("text/html") == true {
                    #expect(answer["content-security-policy"] == SecurityHeaders.policy, "\(path)")
                    #expect(!answer.text.isEmpty)
                }
                guard path.hasPrefix("/live/") else { continue }
                #expect(answer["content-type"]?.hasSuffix("json") == true, "\(path)")
                for name in ["etag", "last-modified", "set-cookie", "vary"] { #expect(answer[name] == nil, "\(path)") }
            }
        }
    }

    // Protocol test 17
    @Test func `random paths below the feeds are never held and never kept`() async throws {
        try await TestServer.run { server in
            var random = SeededGenerator(seed: 3)
            let connection = try await server.connect()
            let pieces = [
                "board", "BOARD", "..", "%2e", "0", "1", "00", "now", "snap", server.board.epoch, "x", "", "-1",
                "9999999999999",
            ]
            for _ in 0..<500 {
                let path = (0..<(random.next() % 6)).map { _ in pieces[Int(random.next() % UInt64(pieces.count))] }
                let joined = path.joined(separator: "/")
                guard PollRequest(path: joined) == nil else { continue }
                try await connection.send("GET", "/live/1/" + joined)
                let answer = try await connection.response()
                #expect([400, 404].contains(answer.status), "\(joined)")
                #expect(answer["cache-control"] == "no-store", "\(joined)")
            }
            #expect(server.dashboard.held == 0)
        }
    }
}
