import Testing

@testable import WeirAccess

/// Users that move from a file into a database, or back.
@Suite(.timeLimit(.minutes(15))) struct AccessTransferTests {
    /// A storage with somebody in it, who is signed in.
    private func withPeople(
        _ body: (_ storage: MemoryAccessStorage, _ session: SecretText) async throws -> Void
    ) async throws {
        let storage = MemoryAccessStorage()
        let fixture = try await DirectoryFixture(storage: storage)
        try await fixture.addUser("ana", "admin")
        try await body(storage, try #require(try await fixture.signIn("ana")))
    }

    @Test(arguments: StorageKind.allCases)
    func `users and sessions go into a storage that has none`(_ kind: StorageKind) async throws {
        try await withPeople { source, session in
            try await kind.withStorage { open in
                let transfer = AccessTransfer(from: source, into: try await open())
                #expect(try await transfer.isPossible())
                #expect(try await transfer.copy() == .copied(users: 1, tokens: 0))
                #expect(try await !transfer.isPossible())
                let server = try await DirectoryFixture(storage: try await open())
                #expect(server.directory.users.map(\.name) == ["ana"])
                #expect(server.request(session: session).authorization?.principal.name == "ana")
            }
        }
    }

    @Test func `a storage that has somebody stays as it is, and one with settings alone keeps these`() async throws {
        try await withPeople { source, _ in
            let target = MemoryAccessStorage()
            let server = try await DirectoryFixture(storage: target)
            let cookie = server.directory.cookie
            #expect(try await AccessTransfer(from: source, into: target).copy() == .copied(users: 1, tokens: 0))
            await server.directory.tick()
            #expect(server.directory.users.map(\.name) == ["ana"] && server.directory.cookie == cookie)
            try await server.addUser("bob")
            try await server.directory.removeUser("bob", by: .system)
            let before = Set(try await target.records())
            #expect(try await AccessTransfer(from: source, into: target).copy() == .occupied)
            #expect(Set(try await target.records()) == before)
        }
    }

    @Test func `what was taken over once is not taken over again, and is replaced by what comes back`() async throws {
        try await withPeople { source, _ in
            let target = MemoryAccessStorage()
            let transfer = AccessTransfer(from: source, into: target)
            _ = try await transfer.copy()
            try await transfer.markSource()
            #expect(try await AccessTransfer.isMarked(source))
            #expect(try await AccessTransfer(from: source, into: MemoryAccessStorage()).copy() == .nothing)
            let server = try await DirectoryFixture(storage: target)
            try await server.addUser("root", "admin")
            try await server.directory.removeUser("ana", by: .system)
            #expect(try await AccessTransfer(from: target, into: source).copy() == .copied(users: 1, tokens: 0))
            #expect(try await !AccessTransfer.isMarked(source))
            #expect(try await DirectoryFixture(storage: source).directory.users.map(\.name) == ["root"])
        }
    }

    @Test func `from where there is nobody, nothing is taken`() async throws {
        let source = MemoryAccessStorage()
        _ = try await DirectoryFixture(storage: source)
        let target = MemoryAccessStorage()
        #expect(try await AccessTransfer(from: source, into: target).copy() == .nothing)
        #expect(try await target.records().isEmpty)
    }
}
