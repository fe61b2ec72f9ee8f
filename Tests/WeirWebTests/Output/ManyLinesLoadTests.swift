import TestSupport
import Testing
import WeirBoards
import WeirJournals
import WeirStates

@testable import WeirWeb

/// Run by itself by `script/test`, as it takes all the machine gives.
@Suite(.timeLimit(.minutes(15)))
struct ManyLinesLoadTests {
    @Test func `a run that prints a million lines harms neither its page, nor programs, nor the download`() async throws
    {
        try await TestServer.run(printing: true) { server in
            let receipt = try await server.board.start("printer", input: ["lines": 1_000_000], actor: "test")
            try await until {
                server.board.feed.output(of: receipt.run)?.head == 1_000_000
            } otherwise: {
                let page = try await server.ask("GET", "/runs/\(receipt.run)", headers: ["Accept: text/html"])
                #expect(page.text.utf8.count < 300_000)
            }
            server.gate.finish()
            await server.board.outcome(of: receipt.run)
            let page = try await server.ask("GET", "/runs/\(receipt.run)", headers: ["Accept: text/html"])
            #expect(page.text.contains("1,000,000 lines"))
            let json = try await server.ask("GET", "/api/v1/runs/\(receipt.run)/output?after=500000&limit=1").json()
            #expect(json["next"] == 500_001 && json["count"] == 1_000_000)
            let text = try await server.ask("GET", "/runs/\(receipt.run)/output").text
            #expect(text.split(separator: "\n").count == 1_000_000)
        }
    }
}
