import TestSupport
import WeirJournals
@testable import WeirPostgres

/// Two servers on one database, each of which knows of the other: the first records, the second follows it.
func withPostgresPair(_ body: (_ first: PostgresJournal, _ second: PostgresJournal) async throws -> Void) async throws {
    let url = try PostgresServer.shared.get().database()
    func open(_ id: String) async throws -> PostgresJournal {
        try await PostgresJournal.open(
            url, configuration: .init(patience: .seconds(10), node: PostgresNode(id: id, name: id)), now: { .test(0) })
    }
    let (first, second) = (try await open("a"), try await open("b"))
    _ = try await first.beat(NodeStanding(), forgetting: [])
    _ = try await second.beat(NodeStanding(), forgetting: [])
    let result: Result<Void, any Error>
    do { result = .success(try await body(first, second)) } catch { result = .failure(error) }
    await second.close()
    await first.close()
    try result.get()
}

extension PostgresJournal {
    /// Takes the place of the server that records, as of one that has fallen silent.
    func replaceRecording() async throws {
        let silent = try await beat(NodeStanding(), forgetting: []).first(where: \.isRecording)
        // The connection of that one is ended, which takes the database a moment.
        try await until { try await takeOver(from: silent) }
    }
}
