import Testing
@testable import WeirJournals
import WeirStates

extension ImportTests {
    // K3
    @Test(arguments: JournalKind.allCases)
    func `an import that is taken back leaves floors behind all that anybody has read of it`(
        kind: JournalKind
    ) async throws {
        try await kind.withJournal { journal in
            _ = try await journal.append([.opening("mine", operation: "login")])
            let origin = ChangeOrigin(epoch: "elsewhere0001", sequence: 1)
            try await journal.addImported(
                [.change(.opening("a"), origin: origin), .change(.step("a", 1, phase: .failed), origin: origin)],
                at: .test(0))
            let head = try await journal.head()
            #expect(try await journal.rollBackImport() == 1)
            let floor = try await journal.floor(of: .board)
            #expect(try await journal.head() == floor && floor > head)
            #expect(try await journal.floor(of: .operation("upload")) == floor)
            #expect(try await journal.floor(of: .operation("login")) == 0)
            #expect(try await journal.append([.step("mine", 1, operation: "login")]).first?.sequence == floor.next)
            #expect(try await journal.rollBackImport() == 0)
            #expect(try await journal.floor(of: .board) == floor)
        }
    }
}
