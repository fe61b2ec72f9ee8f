import WeirFlows
import WeirJournals

/// Publishes the changes in the journal in the order of their sequences, whichever server recorded them.
///
/// Changes recorded by this process are passed in, and published directly if they are next in order. Otherwise other
/// servers have recorded changes in between, and the journal is read.
final class Follower: Sendable {
    /// The number of changes published without yielding; a change of a run with many states takes about 50 µs.
    private static let pieceLimit = 50

    private let journal: any Journal
    private let batchLimit: Int
    private let publish: @Sendable ([Change]) -> Void
    private let prepare: @Sendable ([Change]) async throws -> Void
    private let lock = AsyncLock()
    private let told: Locked<SequenceNumber>
    private let current = Locked(false)
    /// The next read that has not begun, shared by all callers of `catchUp`.
    private let next = Locked<Task<Void, any Error>?>(nil)

    /// Calls `publish` with each change after `head` once, in order and without overlap.
    ///
    /// `prepare` is called before changes are published.
    init(
        journal: any Journal, head: SequenceNumber, batchLimit: Int, publish: @escaping @Sendable ([Change]) -> Void,
        prepare: @escaping @Sendable ([Change]) async throws -> Void = { _ in }
    ) {
        self.journal = journal
        self.batchLimit = batchLimit
        self.publish = publish
        self.prepare = prepare
        told = Locked(head)
    }

    var head: SequenceNumber { told.withLock { $0 } }

    /// Whether the last read reached the end of the journal; false during a read and after a failed one.
    var isCurrent: Bool { current.withLock { $0 } }

    /// Publishes changes that this process has just recorded, and those of other servers before them.
    ///
    /// Throws `JournalError` if the journal must be read and cannot be; the next call then publishes the remaining
    /// changes.
    func take(_ changes: [Change]) async throws {
        try await lock.withLock {
            let head = head
            let rest = changes.drop { $0.sequence <= head }
            guard let first = rest.first else { return }
            guard first.sequence == head.next else { return try await readOn() }
            try await prepare(Array(rest))
            await tell(rest)
        }
    }

    /// Publishes all changes that were recorded before the call.
    ///
    /// Concurrent calls share reads of the journal.
    func catchUp() async throws {
        let look = next.withLock { next in
            if let next { return next }
            let look = Task { [self] in
                try await lock.withLock {
                    self.next.withLock { $0 = nil }
                    try await readOn()
                }
            }
            next = look
            return look
        }
        try await look.value
    }

    func whileNothingIsPublished(_ body: () async throws -> Void) async throws { try await lock.withLock(body) }

    private func readOn() async throws {
        current.withLock { $0 = false }
        while true {
            let changes = try await journal.changes(of: .board, after: head, through: nil, limit: batchLimit)
            guard !changes.isEmpty else { return current.withLock { $0 = true } }
            try await prepare(changes)
            await tell(changes[...])
        }
    }

    private func tell(_ changes: ArraySlice<Change>) async {
        var rest = changes
        while !rest.isEmpty {
            let piece = Array(rest.prefix(Self.pieceLimit))
            rest = rest.dropFirst(piece.count)
            publish(piece)
            if let last = piece.last?.sequence { told.withLock { $0 = last } }
            if !rest.isEmpty { await Task.yield() }
        }
    }
}
