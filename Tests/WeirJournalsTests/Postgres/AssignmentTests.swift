import Testing
import WeirJournals

@testable import WeirPostgres

/// Runs that a server carries out, which follows the one that records, on one database.
@Suite(.timeLimit(.minutes(15))) struct AssignmentTests {
    private func withPair(_ body: (PostgresJournal, PostgresJournal, Int64) async throws -> Void) async throws {
        try await withPostgresPair { first, second in
            let worker = try #require(second.worker)
            #expect(worker != first.worker)
            try await body(first, second, worker)
        }
    }

    @Test func `a server appends to the runs that are assigned to it, and to no others`() async throws {
        try await withPair { first, second, worker in
            _ = try await first.append([.opening("mine"), .opening("other"), .store("s", 0)])
            try await first.assign("mine", to: worker, stopping: nil)
            let changes = try await second.append([.step("mine", 1), .step("mine", 2)])
            #expect(changes.map(\.sequence) == [4, 5])
            #expect(
                try await second.appendOutput(run: "mine", lines: [.init(at: .test(1), text: "x")], after: nil) == 1)
            let line = OutputDraft(at: .test(1), text: "x")
            for draft in [ChangeDraft.step("other", 1), .opening("new"), .store("s", 1)] {
                #expect(try await code { try await second.append([draft]) } == .locked)
            }
            // All or none.
            #expect(try await code { try await second.append([.step("mine", 3), .step("other", 1)]) } == .locked)
            #expect(
                try await code { try await second.appendOutput(run: "other", lines: [line], after: nil) } == .locked)
            #expect(try await code { try await second.assign("other", to: worker, stopping: nil) } == .locked)
            #expect(try await code { try await second.release(["mine"]) } == .locked)
            // What another process of the same server was assigned is not this one's.
            try await first.assign("other", to: worker % 2 + 1, stopping: nil)
            #expect(try await code { try await second.append([.step("other", 1)]) } == .locked)
            #expect(try await first.changes(of: .board, after: 0, through: nil, limit: 10).count == 5)
            // The one that records numbers on behind.
            #expect(try await first.append([.step("other", 1)]).map(\.sequence) == [6])
        }
    }

    @Test func `what is taken away from a server is closed to it at once`() async throws {
        try await withPair { first, second, worker in
            _ = try await first.append([.opening("run")])
            try await first.assign("run", to: worker, stopping: nil)
            _ = try await second.append([.step("run", 1)])
            try await first.release(["run", "unknown"])
            #expect(try await code { try await second.append([.step("run", 2)]) } == .locked)
            _ = try await first.append([.step("run", 2)])
            #expect(try await first.assignments(of: nil, after: 0) == [])
        }
    }

    @Test func `a server gives back its own runs, and no others'`() async throws {
        try await withPair { first, second, worker in
            _ = try await first.append([.opening("mine"), .opening("kept"), .opening("other")])
            for run in ["mine", "kept"] { try await first.assign(run, to: worker, stopping: nil) }
            try await first.assign("other", to: worker % 2 + 1, stopping: nil)
            try await second.giveBack(["mine", "other", "unknown"])
            #expect(try await first.assignments(of: nil, after: 0).map(\.run) == ["kept", "other"])
            #expect(try await code { try await second.append([.step("mine", 1)]) } == .locked)
        }
    }

    @Test func `an assignment is found until it has been looked at, and again when its run is to stop`() async throws {
        try await withPair { first, second, worker in
            _ = try await first.append([.opening("1"), .opening("2\u{0}"), .opening("3")])
            for run in ["1", "2\u{0}"] { try await first.assign(run, to: worker, stopping: nil) }
            try await first.assign("3", to: worker % 2 + 1, stopping: nil)
            let found = try await second.assignments(of: worker, after: 0)
            #expect(found.map(\.run) == ["1", "2\u{0}"] && found.allSatisfy { $0.cause == nil })
            let place = try #require(found.last?.place)
            #expect(try await second.assignments(of: worker, after: place) == [])
            try await first.assign("1", to: worker, stopping: "by ann\u{0}a")
            try await first.assign("1", to: worker % 2 + 1, stopping: "later")
            let stopped = try await second.assignments(of: worker, after: place)
            #expect(stopped.map(\.run) == ["1"])
            #expect(stopped.first?.cause == "by ann\u{0}a" && stopped.first?.worker == worker)
            #expect(try await first.assignments(of: nil, after: 0).map(\.run) == ["2\u{0}", "3", "1"])
        }
    }

    @Test func `a server that takes the place of the one that records goes on with its runs`() async throws {
        try await withPair { first, second, worker in
            _ = try await first.append([.opening("run")])
            try await first.assign("run", to: worker, stopping: nil)
            _ = try await second.append([.step("run", 1)])
            try await second.replaceRecording()
            _ = try await second.append([.step("run", 2), .opening("next")])
            #expect(try await second.assignments(of: worker, after: 0).map(\.run) == ["run"])
            #expect(try await code { try await first.append([.step("run", 3)]) } != nil)
        }
    }
}
