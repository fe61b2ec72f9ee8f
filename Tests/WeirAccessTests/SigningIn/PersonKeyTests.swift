import Synchronization
import Testing
import WeirStates

@testable import WeirAccess

/// A local user and a person of a proxy with the same identity, as after a change of `auth`.
@Suite(.timeLimit(.minutes(15))) struct PersonKeyTests {
    private struct Both {
        let fixture: DirectoryFixture
        let user: Principal
        let person: Principal
        let (userToken, personToken): (String, String)

        func tokens() -> Set<String> { Set(fixture.directory.tokens().map(\.id)) }
    }

    private func both() async throws -> Both {
        let (storage, clock) = (MemoryAccessStorage(), StoppedClock())
        let before = try await DirectoryFixture(storage: storage, clock: clock)
        try await before.addUser("root", "admin")
        try await before.addUser("ana")
        let user = try #require(before.directory.users.first { $0.name == "ana" }).principal
        _ = try await before.signIn("ana")
        let viewer = [StoredAssignment(role: "viewer")]
        let first = try await before.directory.createToken("user", roles: viewer, days: nil, by: user).record
        try await before.directory.changeViews(of: user) { _ in "views of the user" }
        let rules = AccessRules(grants: [RoleGrant(RoleAssignment("operator"), to: [.user("ana")])])
        let fixture = try await DirectoryFixture(
            .proxy(user: "remote-user", groups: nil), rules: rules, storage: storage, clock: clock
        ) { $0.trustedProxies = [NetworkRange("127.0.0.1")].compactMap { $0 } }
        let person = try #require(fixture.request(["remote-user": ["ana"]]).authorization).principal
        let second = try await fixture.directory.createToken("person", roles: viewer, days: nil, by: person).record
        return Both(fixture: fixture, user: user, person: person, userToken: first.id, personToken: second.id)
    }

    @Test func `the end of one's access leaves that of the other, and an identity of both is refused`() async throws {
        let both = try await both()
        let directory = both.fixture.directory
        let people = directory.people.filter { $0.person.identity == "ana" }
        #expect(people.count == 2 && Set(people.map(\.id)).count == 2)
        await #expect(throws: AccessError(.conflict, .twoPeople, ["identity": "ana"])) {
            try await directory.endAccess(of: "ana", by: .system)
        }
        let person = try #require(people.first { !$0.person.isUser })
        let ended = try await directory.endAccess(of: person.id, by: .system)
        #expect(ended.tokens.map(\.id) == [both.personToken] && both.tokens() == [both.userToken])
        #expect(directory.sessions().isEmpty, "sessions of users are not valid behind a proxy")
        _ = try await directory.endAccess(of: "user:ana", by: .system)
        #expect(both.tokens().isEmpty)
        let subjects = try await both.fixture.entries(AuditFilter(action: .endAccess)).map(\.subject)
        #expect(subjects == ["user:ana", "person:ana"])
    }

    @Test func `neither lists, revokes or ends what is the other's`() async throws {
        let both = try await both()
        let directory = both.fixture.directory
        #expect(directory.tokens(of: both.person).map(\.id) == [both.personToken])
        await #expect(throws: AccessError(.missing, .unknownToken)) {
            try await directory.revokeToken(both.userToken, by: both.person, anybody: false)
        }
        #expect(directory.views(of: both.person) == nil)
        try await directory.changeViews(of: both.person) { _ in "views of the person" }
        try await directory.removeUser("ana", by: .system)
        #expect(directory.views(of: both.person) == "views of the person")
        #expect(both.tokens() == [both.personToken])
    }

    @Test func `the sessions of a person whose groups change count together`() {
        var limits = SessionTable.Limits()
        limits.perPerson = 2
        var table = SessionTable(limits)
        for number in 0..<5 {
            let person = StoredPerson(name: "Ana", identity: "p#1", isUser: false, groups: ["\(number)"])
            let time = Int64(number)
            _ = table.begin(SessionRecord(hash: "\(number)", person: person, begunAt: time, usedAt: time), now: time)
        }
        #expect(Set(table.sessions.keys) == ["3", "4"])
    }

    @Test func `the people beyond the limit are removed from the storage as well`() async throws {
        let storage = MemoryAccessStorage()
        func open() async throws -> DirectoryFixture {
            try await DirectoryFixture(.proxy(user: "remote-user", groups: nil), storage: storage) {
                $0.trustedProxies = [NetworkRange("127.0.0.1")].compactMap { $0 }
            }
        }
        let fixture = try await open()
        fixture.directory.state.withLock { $0.people = PeopleTable(limit: 4) }
        for name in ["a", "b", "c", "d", "e"] {
            fixture.advance(milliseconds: 1)
            _ = fixture.request(["remote-user": [name]])
            await fixture.directory.tick()
        }
        #expect(fixture.directory.people.map(\.person.name) == ["c", "d", "e"])
        #expect(try await open().directory.people.map(\.person.name) == ["c", "d", "e"])
    }
}
