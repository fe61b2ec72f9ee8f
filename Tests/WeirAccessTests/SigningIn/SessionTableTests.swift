import Testing

@testable import WeirAccess

@Suite struct SessionTableTests {
    private let ana = StoredPerson(name: "ana", identity: "ana", isUser: true, groups: [])

    @Test func `a session that was used here and elsewhere goes on from its last use`() {
        func use(_ here: Int64, elsewhere: Int64) -> Int64? {
            var table = SessionTable()
            _ = table.begin(SessionRecord(hash: "a", person: ana, begunAt: 0, usedAt: here, endsAt: nil), now: here)
            let stored = SessionRecord(hash: "a", person: ana, begunAt: 0, usedAt: elsewhere, endsAt: nil)
            table.put(stored)
            return table.sessions["a"]?.usedAt
        }
        #expect(use(120_000, elsewhere: 60_000) == 120_000)
        #expect(use(60_000, elsewhere: 120_000) == 120_000)
    }

    @Test func `a session of a clock that was ahead does not outlive the correction by more than its limits`() {
        let limits = SessionTable.Limits()
        func isLeft(ahead: Int64) -> Bool {
            var table = SessionTable()
            _ = table.begin(
                SessionRecord(hash: "a", person: ana, begunAt: ahead, usedAt: ahead, endsAt: nil), now: ahead)
            return table.session("a", now: 0) != nil
        }
        #expect(isLeft(ahead: 60_000))
        #expect(!isLeft(ahead: limits.idle + 1))
        #expect(!isLeft(ahead: .max))
    }
}
