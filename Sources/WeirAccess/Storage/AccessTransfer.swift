import Foundation

/// Copies users, tokens, links, sessions, saved views and presets into a storage without any.
package struct AccessTransfer: Sendable {
    package enum Outcome: Hashable, Sendable {
        /// The source is empty or was copied before.
        case nothing
        /// The target has records and was not changed.
        case occupied
        /// The records were copied; the counts are those of users and tokens.
        case copied(users: Int, tokens: Int)
    }

    /// The setting that marks a storage as copied; its records are then ignored.
    private static let mark = StoredKey(kind: StoredKind.setting.rawValue, id: "taken-over")

    /// The audit head, which is not copied.
    private static let head = StoredKey(
        kind: StoredKind.setting.rawValue, id: DirectorySetting.auditHead.rawValue)

    private let source: any AccessStorage
    private let target: any AccessStorage

    /// Creates a transfer between storages, which may be in use.
    package init(from source: any AccessStorage, into target: any AccessStorage) {
        (self.source, self.target) = (source, target)
    }

    package static func isMarked(_ storage: any AccessStorage) async throws -> Bool {
        try await storage.news(since: nil)?.records.contains { $0.key == mark } ?? false
    }

    package func isPossible() async throws -> Bool {
        let (records, there) = (try await source.news(since: nil)?.records, try await target.news(since: nil)?.records)
        return Self.counts(records ?? []) && !Self.counts(there ?? [])
    }

    /// Copies all records if the target has none; existing settings of the target are kept.
    ///
    /// Throws errors of the storages.
    package func copy() async throws -> Outcome {
        let records = try await source.news(since: nil)?.records ?? []
        guard Self.counts(records) else { return .nothing }
        while true {
            guard let there = try await target.news(since: nil) else { return .nothing }
            guard !Self.counts(there.records) else { return .occupied }
            // A marked target was itself copied elsewhere; its records are replaced.
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

    /// Marks the source as copied, so that records removed from the target later are not copied again.
    package func markSource() async throws {
        while let news = try await source.news(since: nil) {
            let mark = StoredRecord(Self.mark, json: Data("true".utf8))
            do {
                _ = try await source.write([.put(mark)], after: news.version)
                return
            } catch is StoredConflict { continue }
        }
    }

    /// Returns whether an unmarked storage holds records of people.
    private static func counts(_ records: [StoredRecord]) -> Bool {
        guard !records.contains(where: { $0.key == mark }) else { return false }
        return records.contains { record in
            switch StoredKind(rawValue: record.kind) {
            case .user, .token, .link, .session, .person, .views, .presets, .account, .secondFactor: true
            case .setting, .audit, nil: false
            }
        }
    }
}
