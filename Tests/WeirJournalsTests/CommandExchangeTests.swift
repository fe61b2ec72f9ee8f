import Testing
import TestSupport
@testable import WeirJournals
@testable import WeirPostgres

/// The contract of `CommandExchange`, for every implementation.
@Suite(.timeLimit(.minutes(15))) struct CommandExchangeTests {
    /// Two servers on one exchange, the first of which records until the second takes its place.
    fileprivate struct Pair: Sendable {
        let first: any CommandExchange
        let second: any CommandExchange
        let takeOver: @Sendable () async throws -> Void

        func hand(_ id: String, node: String = "b", text: String = "{}") async throws {
            try await second.hand(HandedCommand(id: id, node: node, text: text))
        }

        func claim(of nodes: [String] = ["b"], limit: Int = 10) async throws -> [String] {
            try await first.claimCommands(of: nodes, limit: limit).map(\.id)
        }
    }

    enum Kind: String, CaseIterable, CustomTestStringConvertible {
        case memory, postgres

        var testDescription: String { rawValue }

        fileprivate func withPair(_ body: (Pair) async throws -> Void) async throws {
            switch self {
            case .memory:
                let commands = MemoryCommands()
                await commands.takeOver("a")
                try await body(
                    Pair(first: commands.server("a"), second: commands.server("b")) { await commands.takeOver("b") })
            case .postgres:
                try await withPostgresPair { first, second in
                    try await body(Pair(first: first, second: second) { try await second.replaceRecording() })
                }
            }
        }
    }

    @Test(arguments: Kind.allCases)
    func `a command is claimed once, the oldest first, and answered`(_ kind: Kind) async throws {
        try await kind.withPair { pair in
            for id in ["1", "2", "3"] { try await pair.hand(id, text: "{\"id\":\"\(id) \\u0000\"}") }
            try await pair.hand("1", text: "{}")
            let claimed = try await pair.first.claimCommands(of: ["b"], limit: 2)
            #expect(claimed.map(\.id) == ["1", "2"])
            #expect(claimed.first == HandedCommand(id: "1", node: "b", text: "{\"id\":\"1 \\u0000\"}"))
            #expect(try await pair.claim() == ["3"])
            #expect(try await pair.claim() == [])
            try await pair.first.answerCommand("2", with: "\"done\"")
            #expect(try await pair.second.replies(to: ["1", "2", "3", "4"]) == ["2": .answered("\"done\"")])
            try await pair.second.removeCommands(["2"])
            #expect(try await pair.second.replies(to: ["2"]) == [:])
        }
    }

    @Test(arguments: Kind.allCases)
    func `only the commands of servers that are there are claimed`(_ kind: Kind) async throws {
        try await kind.withPair { pair in
            try await pair.hand("1")
            #expect(try await pair.claim(of: []) == [])
            #expect(try await pair.claim(of: ["a"]) == [])
            #expect(try await pair.claim(of: ["a", "b"]) == ["1"])
        }
    }

    @Test(arguments: Kind.allCases)
    func `a command that is withdrawn is never claimed, not even if it comes later`(_ kind: Kind) async throws {
        try await kind.withPair { pair in
            try await pair.hand("1")
            #expect(try await pair.second.withdraw("1") == .withdrawn)
            #expect(try await pair.second.withdraw("2") == .withdrawn)
            try await pair.hand("2")
            try await pair.hand("1")
            #expect(try await pair.claim() == [])
            #expect(try await pair.second.withdraw("2") == .withdrawn)
        }
    }

    @Test(arguments: Kind.allCases)
    func `a command that was claimed cannot be withdrawn, and one that was answered has its answer`(
        _ kind: Kind
    ) async throws {
        try await kind.withPair { pair in
            try await pair.hand("1")
            #expect(try await pair.claim() == ["1"])
            #expect(try await pair.second.withdraw("1") == .claimed)
            try await pair.first.answerCommand("1", with: "1")
            #expect(try await pair.second.withdraw("1") == .answered("1"))
        }
    }

    @Test(arguments: Kind.allCases)
    func `each command is claimed or withdrawn when both happen at the same time`(_ kind: Kind) async throws {
        try await kind.withPair { pair in
            let ids = (0..<40).map { "\($0)" }
            for id in ids { try await pair.hand(id) }
            async let claimed = {
                var claimed: Set<String> = []
                for _ in 0..<10 { claimed.formUnion(try await pair.claim(limit: 4)) }
                return claimed
            }()
            async let withdrawn = {
                var withdrawn: Set<String> = []
                for id in ids.reversed() where try await pair.second.withdraw(id) == .withdrawn { withdrawn.insert(id) }
                return withdrawn
            }()
            let (first, second) = (try await claimed, try await withdrawn)
            #expect(first.isDisjoint(with: second))
            #expect(first.union(second) == Set(ids))
        }
    }

    // K12
    @Test(arguments: Kind.allCases)
    func `what a replaced server had claimed is lost, and claimed and answered by nobody`(_ kind: Kind) async throws {
        try await kind.withPair { pair in
            try await pair.hand("1")
            try await pair.hand("2")
            #expect(try await pair.claim(limit: 1) == ["1"])
            #expect(try await pair.second.replies(to: ["1"]) == [:])
            try await pair.takeOver()
            #expect(try await pair.second.replies(to: ["1", "2"]) == ["1": .lost])
            #expect(try await code { _ = try await pair.claim() } == .locked)
            try? await pair.first.answerCommand("1", with: "late")
            #expect(try await pair.second.replies(to: ["1"]) == ["1": .lost])
            #expect(try await pair.second.claimCommands(of: ["b"], limit: 10).map(\.id) == ["2"])
        }
    }

    @Test func `a server that is started again has forgotten what it asked, and so has one that left`() async throws {
        let url = try PostgresServer.shared.get().database()
        func open(_ id: String) async throws -> PostgresJournal {
            try await PostgresJournal.open(
                url, configuration: .init(patience: .seconds(10), node: PostgresNode(id: id, name: id)),
                now: { .test(0) })
        }
        let (first, second) = (try await open("a"), try await open("b"))
        for journal in [first, second] { _ = try await journal.beat(NodeStanding(), forgetting: []) }
        try await second.hand(HandedCommand(id: "1", node: "b", text: "{}"))
        let again = try await open("b")
        #expect(try await first.claimCommands(of: ["b"], limit: 10) == [])
        try await again.hand(HandedCommand(id: "2", node: "b", text: "{}"))
        await again.close()
        #expect(try await first.claimCommands(of: ["b"], limit: 10) == [])
        await second.close()
        await first.close()
    }
}
