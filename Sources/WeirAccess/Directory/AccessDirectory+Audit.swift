import Synchronization
import WeirStates

/// What the audit and the storage have of each other.
extension AccessDirectory {
    /// Writes what commands left into the audit, and removes it from the storage once it is written.
    func takeOverAudit() async throws {
        guard !leavesAudit, takesOverAudit() else { return }
        let (fresh, ids) = state.withLock { state in
            let fresh = state.leftEntries.filter { !state.takenOver.contains($0.key) }
            state.takenOver.formUnion(fresh.keys)
            return (fresh, state.takenOver)
        }
        guard !ids.isEmpty else { return }
        for (_, entry) in fresh.sorted(by: { ($0.value.at, $0.key) < ($1.value.at, $1.key) }) { audit.record(entry) }
        guard await audit.flush() else { return }
        try await change { [self] in try await write(ids.map { .remove(kind: .audit, id: $0) }) }
        state.withLock { state in
            for id in ids { state.leftEntries[id] = nil }
            state.takenOver.subtract(ids)
        }
    }

    /// Keeps what the audit has come to, so that the next start notices if its end is missing.
    func keepAuditHead() async throws {
        let head = audit.head
        guard keepsAuditHead, head != AuditChain.start.head, head != state.withLock({ $0.auditHead }) else { return }
        try await change { [self] in
            try await write([try .put(.setting, DirectorySetting.auditHead.rawValue, head)])
            state.withLock { $0.auditHead = head }
        }
    }
}
