/// Where users, tokens, links and sessions are kept: named records of JSON, which several processes may change.
///
/// Whoever changes something names the version that it was decided by. If somebody else was quicker, nothing is changed:
/// then what they changed is read, and it is decided anew.
package protocol AccessStorage: Sendable {
    /// What was changed since a version that was returned before, or everything for nil; nil if nothing was.
    func news(since version: Int64?) async throws -> StoredNews?
    /// Makes changes, all of them or none, if nobody else has changed anything since a version.
    ///
    /// - Returns: The version with these changes.
    /// - Throws: `StoredConflict` if somebody else has changed something.
    func write(_ changes: [StoredChange], after version: Int64) async throws -> Int64
}

/// Somebody else has changed something meanwhile, so that nothing was written.
package struct StoredConflict: Error {
    package init() {}
}

/// What was changed in a storage.
package struct StoredNews: Sendable {
    /// What the records are as of.
    package let version: Int64
    /// Whether these are all records there are, and not only those that were changed.
    package let isWhole: Bool
    package let records: [StoredRecord]
    /// What was removed, if these are not all records.
    package let removed: [StoredKey]

    package init(version: Int64, isWhole: Bool, records: [StoredRecord], removed: [StoredKey] = []) {
        (self.version, self.isWhole, self.records, self.removed) = (version, isWhole, records, removed)
    }
}
