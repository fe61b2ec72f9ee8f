import Synchronization

/// Keeps records in memory: for tests, and for a server that keeps nothing.
package final class MemoryAccessStorage: AccessStorage {
    private struct State {
        var version: Int64 = 0
        /// Each record with the version that changed it; nil for one that was removed.
        var records: [StoredKey: (record: StoredRecord?, version: Int64)] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    /// The version of now.
    package var version: Int64 { state.withLock { $0.version } }

    package func news(since version: Int64?) async throws -> StoredNews? {
        state.withLock { state in
            guard state.version != version else { return nil }
            let changed = state.records.filter { $0.value.version > version ?? -1 }
            return StoredNews(
                version: state.version, isWhole: version == nil, records: changed.values.compactMap(\.record),
                removed: version == nil ? [] : changed.filter { $0.value.record == nil }.map(\.key))
        }
    }

    package func write(_ changes: [StoredChange], after version: Int64) async throws -> Int64 {
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
