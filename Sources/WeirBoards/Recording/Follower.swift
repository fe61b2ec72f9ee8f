import WeirFlows
import WeirJournals

/// Publishes what the journal holds, in the order of the sequences, whoever recorded it.
///
/// What this process recorded itself is handed over, and published at once where it is next in order. Where it is not, because
/// others have recorded in between, the journal is read.
final class Follower: Sendable {
    /// How many changes are published at a time: a change of a run with many states takes some 50 µs.
    private static let pieceLimit = 50

    private let journal: any Journal
    private let batchLimit: Int
    private let publish: @Sendable ([Change]) -> Void
    private let prepare: @Sendable ([Change]) async throws -> Void
    private let lock = AsyncLock()
    private let told: Locked<SequenceNumber>
    private let current = Locked(false)
    /// The look that has not begun yet, which all share who ask for one.
    private let next = Locked<Task<Void, any Error>?>(nil)

    /// Begins after what is published already.
    ///
    /// - Parameters:
    ///   - journal: What is read.
    ///   - head: The sequence of the last change that is published.
    ///   - batchLimit: How many changes are read at a time.
    ///   - publish: Called with each change once, in order, one call at a time.
    ///   - prepare: Called before changes are published that were read.
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

    /// The sequence of the last change that is published.
    var head: SequenceNumber { told.withLock { $0 } }

    /// Whether the last look found all that the journal held; not during one, and not after one that failed.
    var isCurrent: Bool { current.withLock { $0 } }

    /// Publishes changes that this process has just recorded, and what others recorded before them.
    ///
    /// Throws `JournalError` when the journal must be read and cannot; what is not published then comes with the next call.
    func take(_ changes: [Change]) async throws {
        try await lock.withLock {
            let head = head
            let rest = changes.drop { $0.sequence <= head }
            guard let first = rest.first else { return }
            if first.sequence == head.next { await tell(rest) } else { try await readOn() }
        }
    }

    /// Publishes what others have recorded until it was called.
    ///
    /// However many call it, the journal is asked by one after the other of few looks.
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

    /// Does something while nothing is published.
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

    /// Publishes changes in pieces, between which other tasks use the thread.
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
