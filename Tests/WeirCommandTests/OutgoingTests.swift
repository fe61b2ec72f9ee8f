import Foundation
import Testing
import WeirBoards
import WeirFlows
import WeirJournals
import WeirOperations
import WeirStates

@testable import WeirCommand

/// Requests of the operations that the server comes with, set up as the server sets them up.
@Suite(.timeLimit(.minutes(15))) struct OutgoingTests {
    private func open(_ environment: [String: String] = [:], port: Int?) async throws -> (
        board: Board, journal: MemoryJournal
    ) {
        let settings = try Settings(flags: [:], environment: environment, file: nil)
        let bound = MutableStateFlow(port)
        let catalog = StandardCatalog(settings: settings, folder: URL(filePath: "."), port: bound.asStateFlow())
            .served
        let journal = MemoryJournal()
        return (try await Board.open(catalog: catalog, journal: journal), journal)
    }

    private func error(of url: String, on board: Board) async throws -> String? {
        let receipt = try await board.start("http-request", input: ["url": .string(url)], actor: "tester")
        await board.outcome(of: receipt.run)
        return try await board.run(receipt.run).state.payload["message"]?.string
    }

    // S5
    @Test func `a request reaches neither this machine nor this server, unless the setting says so`() async throws {
        let (plain, _) = try await open(port: 8_080)
        #expect(try await error(of: "http://127.0.0.1:9/", on: plain)?.contains("leads to this machine") == true)
        await plain.shutdown()
        let (open, _) = try await self.open(["WEIR_HTTP_REQUEST_ALLOW": "127.0.0.0/8"], port: 9)
        #expect(try await error(of: "http://127.0.0.1:9/api/v1/", on: open)?.contains("is this server itself") == true)
        await open.shutdown()
        let (named, _) = try await self.open(["WEIR_HTTP_REQUEST_ALLOW": "127.0.0.1:9"], port: 9)
        #expect(try await error(of: "http://127.0.0.1:9/", on: named)?.hasPrefix("Connection refused") == true)
        await named.shutdown()
    }

    // S1, S7
    @Test(arguments: ["http://bob:SECRET@127.0.0.1/", "http://127.0.0.1:65536/"])
    func `a URL that cannot be requested is refused before anything is recorded`(url: String) async throws {
        let (board, journal) = try await open(port: nil)
        await #expect {
            try await board.start("http-request", input: ["url": .string(url)], actor: "tester")
        } throws: { error in
            let error = error as? BoardError
            return error?.code == .invalidInput && error?.fields.map { $0.field } == ["url"]
                && error?.fields.first?.detail.contains("SECRET") == false
        }
        #expect(await journal.head() == 0)
        await board.shutdown()
    }
}
