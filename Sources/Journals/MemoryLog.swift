import States

/// What a ``MemoryJournal`` keeps: a value without locks or tasks, so that an import can work on a copy.
struct MemoryLog: Sendable {
    /// The last revision of a stream, and what the stream is about.
    private typealias StreamEnd = (revision: Int64, subject: String)

    /// All kept changes, oldest first.
    private(set) var changes: [Change] = []
    /// The sequences of the kept changes of every topic but the board, oldest first.
    private var sequences: [Topic: [Int64]] = [:]
    /// The sequence of the last change that went, of the board, of operations and of stores.
    private var floors: [Topic: Int64] = [:]
    private(set) var head: Int64 = 0
    /// The sequences of the transitions of every kept run, oldest first.
    private(set) var transitions: [String: [Int64]] = [:]

    /// The kept runs, and their ids in the order they were opened.
    private(set) var records: [String: RunRecord] = [:]
    private(set) var order: [String] = []
    private var importedAt: [String: Timestamp] = [:]
    private var lines: [String: [OutputDraft]] = [:]
    private var stores: [String: StreamEnd] = [:]

    var runCount: Int { records.count }

    // MARK: Writing

    mutating func append(_ drafts: [ChangeDraft]) throws(JournalError) -> [Change] {
        var lasts: [StreamID: StreamEnd] = [:]
        for draft in drafts {
            try draft.check(follows: lasts[draft.stream] ?? last(of: draft.stream))
            lasts[draft.stream] = (draft.revision, draft.subject)
        }
        return drafts.map { add($0, origin: nil) }
    }

    @discardableResult mutating func add(_ draft: ChangeDraft, origin: ChangeOrigin?) -> Change {
        head += 1
        let change = Change(sequence: head, draft: draft, origin: origin)
        changes.append(change)
        for topic in Topic.streams(of: change) { sequences[topic, default: []].append(head) }
        switch draft.stream {
        case .store(let id): stores[id] = (draft.revision, draft.subject)
        case .run(let id):
            if draft.isTransition { transitions[id, default: []].append(head) }
            if let record = RunRecord(opening: change) {
                records[id] = record
                order.append(id)
            } else {
                records[id]?.apply(change)
            }
        }
        return change
    }

    mutating func appendOutput(run: String, lines drafts: [OutputDraft]) throws(JournalError) -> Int64 {
        guard records[run] != nil else { throw .unknownRun(run) }
        lines[run, default: []] += drafts
        return outputCount(of: run)
    }

    mutating func markImported(_ run: String, at now: Timestamp) { importedAt[run] = now }

    // MARK: Forgetting

    @discardableResult mutating func prune(_ policy: RetentionPolicy, now: Timestamp) -> Int {
        var kept: [String: Int] = [:]
        var going: Set<String> = []
        for id in order.reversed() {
            guard let record = records[id], let endedAt = record.endedAt else { continue }
            kept[record.operation, default: 0] += 1
            let age = now - max(endedAt, importedAt[id] ?? endedAt)
            let limits = policy.limits(of: record.operation)
            let isOld = limits.maximumAge.map { age > $0 } ?? false
            let isTooMany = limits.maximumRuns.map { (kept[record.operation] ?? 0) > $0 } ?? false
            if isOld || isTooMany { going.insert(id) }
        }
        if !going.isEmpty { remove(going) }
        if let limit = policy.maximumChangesPerStore { removeSteps(beyond: max(1, limit)) }
        return going.count
    }

    /// Removes the oldest changes of stores that have more than so many.
    private mutating func removeSteps(beyond limit: Int) {
        var first: [String: Int64] = [:]
        for id in stores.keys {
            let topic = Topic.store(id)
            guard let kept = sequences[topic], kept.count > limit else { continue }
            sequences[topic] = Array(kept.suffix(limit))
            first[id] = kept[kept.count - limit]
            let floor = kept[kept.count - limit - 1]
            floors[topic] = floor
            floors[.board] = max(floors[.board] ?? 0, floor)
        }
        guard !first.isEmpty else { return }
        changes.removeAll { change in
            guard case .store(let id) = change.stream, let first = first[id] else { return false }
            return change.sequence < first
        }
    }

    private mutating func remove(_ runs: Set<String>) {
        var operations: Set<String> = []
        for id in runs {
            guard let record = records.removeValue(forKey: id) else { continue }
            operations.insert(record.operation)
            for topic in [Topic.board, .operation(record.operation)] {
                floors[topic] = max(floors[topic] ?? 0, record.sequence)
            }
            sequences[.run(id)] = nil
            transitions[id] = nil
            lines[id] = nil
            importedAt[id] = nil
        }
        order.removeAll { runs.contains($0) }
        changes.removeAll { change in
            guard case .run(let id) = change.stream else { return false }
            return runs.contains(id)
        }
        for operation in operations { sequences[.operation(operation)] = nil }
        for change in changes where operations.contains(change.subject) {
            guard case .run = change.stream else { continue }
            sequences[.operation(change.subject), default: []].append(change.sequence)
        }
    }

    // MARK: Reading

    private func last(of stream: StreamID) -> StreamEnd? {
        switch stream {
        case .run(let id): records[id].map { ($0.revision, $0.operation) }
        case .store(let id): stores[id]
        }
    }

    func floor(of topic: Topic) -> Int64 {
        switch topic {
        case .run(let id) where records[id] == nil: floors[.board] ?? 0
        default: floors[topic] ?? 0
        }
    }

    func changes(of topic: Topic, after: Int64, through last: Int64, limit: Int) -> [Change] {
        guard limit > 0, after < last else { return [] }
        guard topic != .board else {
            let start = changes.partitioningIndex { $0.sequence > after }
            return Array(changes[start...].prefix(limit).prefix { $0.sequence <= last })
        }
        let sequences = sequences[topic] ?? []
        let start = sequences.partitioningIndex { $0 > after }
        return sequences[start...].prefix(limit).prefix { $0 <= last }.map(change(at:))
    }

    func newestChanges(of topic: Topic, through sequence: Int64, limit: Int) -> [Change] {
        guard topic != .board else {
            let end = changes.partitioningIndex { $0.sequence > sequence }
            return Array(changes[..<end].suffix(max(0, limit)))
        }
        let sequences = sequences[topic] ?? []
        let end = sequences.partitioningIndex { $0 > sequence }
        return sequences[..<end].suffix(max(0, limit)).map(change(at:))
    }

    func output(of run: String, after number: Int64, limit: Int) -> [OutputLine] {
        let first = max(0, number)
        return (lines[run] ?? []).dropFirst(Int(clamping: first)).prefix(max(0, limit)).enumerated().map {
            OutputLine(number: first + Int64($0.offset) + 1, draft: $0.element)
        }
    }

    func outputCount(of run: String) -> Int64 { Int64(lines[run]?.count ?? 0) }

    /// The change of a sequence that is known to be kept.
    func change(at sequence: Int64) -> Change { changes[changes.partitioningIndex { $0.sequence >= sequence }] }
}
