import Testing
import TestSupport
import WeirJournals
@testable import WeirPostgres

/// The journals the conformance suite runs over.
enum JournalKind: String, CaseIterable, CustomTestStringConvertible {
    case memory, sqlite, postgres

    var testDescription: String { rawValue }

    /// Gives an empty journal to `body`, and cleans up after it.
    func withJournal(_ body: (any Journal) async throws -> Void) async throws {
        switch self {
        case .memory:
            try await body(
                MemoryJournal(retention: RetentionPolicy(maximumAge: nil, maximumRunsPerOperation: nil)))
        case .sqlite:
            try await TemporaryFolder.with { folder in
                let journal = try await SQLiteJournal.open(at: folder.file("journal.sqlite"), now: .test(0))
                let result: Result<Void, any Error>
                do { result = .success(try await body(journal)) } catch { result = .failure(error) }
                await journal.close()
                try result.get()
            }
        case .postgres:
            let url = try PostgresServer.shared.get().database()
            let journal = try await PostgresJournal.open(url, now: { .test(0) })
            let result: Result<Void, any Error>
            do { result = .success(try await body(journal)) } catch { result = .failure(error) }
            await journal.close()
            try result.get()
        }
    }
}
