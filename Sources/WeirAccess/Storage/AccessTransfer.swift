import Foundation

/// Brings users, tokens, links, sessions and saved views from one storage into another one that has none.
package struct AccessTransfer: Sendable {
    /// What came of it.
    package enum Outcome: Hashable, Sendable {
        /// There is nobody in the source, or what it has was taken over before.
        case nothing
        /// There is somebody in the target, which stays as it is.
        case occupied
        /// The target has all of it now: so many users and tokens.
        case copied(users: Int, tokens: Int)
    }

    /// The id of the setting that says that records were taken over, and count no more.
    private static let mark = StoredKey(kind: StoredKind.setting.rawValue, id: "taken-over")

    /// What the audit has come to, which is not copied.
    private static let head = StoredKey(
        kind: StoredKind.setting.rawValue, id: DirectorySetting.auditHead.rawValue)

    private let source: any AccessStorage
    private let target: any AccessStorage

    /// Takes two storages, which others may be using.
    package init(from source: any AccessStorage, into target: any AccessStorage) {
        (self.source, self.target) = (source, target)
    }

    /// Whether the records of a storage were taken over into another one.
    package static func isMarked(_ storage: any AccessStorage) async throws -> Bool {
        try await storage.news(since: nil)?.records.contains { $0.key == mark } ?? false
    }

    /// Whether there is somebody in the source to be copied, and nobody in the target.
    package func isPossible() async throws -> Bool {
        let (records, there) = (try await source.news(since: nil)?.records, try await target.news(since: nil)?.records)
        return Self.counts(records ?? []) && !Self.counts(there ?? [])
    }

    /// Copies all records, if there is nobody in the target; settings that the target has stay.
    ///
    /// Throws what the storages throw.
    package func copy() async throws -> Outcome {
        let records = try await source.news(since: nil)?.records ?? []
        guard Self.counts(records) else { return .nothing }
        while true {
            guard let there = try await target.news(since: nil) else { return .nothing }
            guard !Self.counts(there.records) else { return .occupied }
            // Records that were taken over from there are replaced.
            let isMarked = there.records.contains { $0.key == Self.mark }
            let kept = (isMarked ? [] : Set(there.records.map(\.key))).union([Self.head])
            let changes =
                (isMarked ? there.records.map { StoredChange.remove($0.key) } : [])
                + records.filter { !kept.contains($0.key) }.map { StoredChange.put($0) }
            do { _ = try await target.write(changes, after: there.version) } catch is StoredConflict { continue }
            func count(_ kind: StoredKind) -> Int { records.count { $0.kind == kind.rawValue } }
            return .copied(users: count(.user), tokens: count(.token))
        }
    }

    /// Marks the source, so that its records are never taken over again when some of them are long removed elsewhere.
    package func markSource() async throws {
        while let news = try await source.news(since: nil) {
            let mark = StoredRecord(Self.mark, json: Data("true".utf8))
            do {
                _ = try await source.write([.put(mark)], after: news.version)
                return
            } catch is StoredConflict { continue }
        }
    }

    /// Whether records are somebody's, and were not taken over.
    private static func counts(_ records: [StoredRecord]) -> Bool {
        guard !records.contains(where: { $0.key == mark }) else { return false }
        return records.contains { record in
            switch StoredKind(rawValue: record.kind) {
            case .user, .token, .link, .session, .views: true
            case .setting, .audit, nil: false
            }
        }
    }
}
