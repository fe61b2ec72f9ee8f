import Synchronization

/// Stores users, tokens, links and sessions as JSON records shared by several processes.
///
/// Writes use optimistic concurrency: each names the version it is based on, and fails if the storage has changed since. The
/// caller then reads the changes and tries again.
package protocol AccessStorage: Sendable {
    /// Returns the changes since a version, or everything for nil; nil if there are none.
    func news(since version: Int64?) async throws -> StoredNews?
    /// Writes all changes atomically if the storage still has the given version.
    ///
    /// - Returns: The new version.
    /// - Throws: `StoredConflict` if the storage has changed.
    func write(_ changes: [StoredChange], after version: Int64) async throws -> Int64
}

/// The storage has changed since the given version; nothing was written.
package struct StoredConflict: Error {
    package init() {}
}

package struct StoredNews: Sendable {
    /// The version these changes lead to.
    let version: Int64
    /// Whether `records` holds all records rather than the changed ones.
    let isWhole: Bool
    let records: [StoredRecord]
    /// The removed keys, unless `isWhole`.
    let removed: [StoredKey]

    package init(version: Int64, isWhole: Bool, records: [StoredRecord], removed: [StoredKey] = []) {
        (self.version, self.isWhole, self.records, self.removed) = (version, isWhole, records, removed)
    }
}

/// Stores records in memory, for tests and for servers without a data folder.
final class MemoryAccessStorage: AccessStorage {
    private struct State {
        var version: Int64 = 0
        /// Each record with the version that changed it; nil for removed ones.
        var records: [StoredKey: (record: StoredRecord?, version: Int64)] = [:]
    }

    private let state = Mutex(State())

    init() {}

    var version: Int64 { state.withLock { $0.version } }

    func news(since version: Int64?) async throws -> StoredNews? {
        state.withLock { state in
            guard state.version != version else { return nil }
            let changed = state.records.filter { $0.value.version > version ?? -1 }
            return StoredNews(
                version: state.version, isWhole: version == nil, records: changed.values.compactMap(\.record),
                removed: version == nil ? [] : changed.filter { $0.value.record == nil }.map(\.key))
        }
    }

    func write(_ changes: [StoredChange], after version: Int64) async throws -> Int64 {
        try state.withLock { state in
            guard state.version == version else { throw StoredConflict() }
            state.version += 1
            for change in changes {
                let isKnown = state.records[change.key]?.record != nil
                if isKnown || (change.record != nil && !change.isUpdate) {
                    state.records[change.key] = (change.record, state.version)
                }
            }
            return state.version
        }
    }
}
