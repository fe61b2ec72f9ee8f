import Synchronization

/// Records behind a lock.
final class LockedRecords: Sendable {
    private struct Key: Hashable {
        let kind: String
        let id: String
    }

    private let records = Mutex<[Key: StoredRecord]>([:])

    var all: [StoredRecord] { records.withLock { Array($0.values) } }

    func apply(_ changes: [StoredChange]) {
        records.withLock { records in
            for change in changes {
                switch change {
                case .put(let record): records[Key(kind: record.kind, id: record.id)] = record
                case .update(let record):
                    let key = Key(kind: record.kind, id: record.id)
                    if records[key] != nil { records[key] = record }
                case .remove(let kind, let id): records[Key(kind: kind.rawValue, id: id)] = nil
                }
            }
        }
    }
}
