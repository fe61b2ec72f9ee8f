/// The contents of a ``MemoryJournal``, as a value, so that an import can work on a copy.
struct MemoryLog: Sendable {
    private typealias StreamEnd = (revision: Int64, subject: String)

    /// All kept changes, oldest first.
    private(set) var changes: [Change] = []
    /// The sequences of the kept changes of every topic except the board, oldest first.
    private var sequences: [Topic: [SequenceNumber]] = [:]
    /// The sequence of the last removed change of the board, of operations and of stores.
    private var floors: [Topic: SequenceNumber] = [:]
    /// The floors without deletions.
    private var pruned: [Topic: SequenceNumber] = [:]
    private(set) var deletions: [RunDeletion] = []
    private static let deletionLimit = 10_000
    private(set) var head: SequenceNumber = 0
    /// The sequences of the transitions of every kept run, oldest first.
    private(set) var transitions: [String: [SequenceNumber]] = [:]

    /// The kept runs, and their ids in the order they were opened.
    private(set) var records: [String: RunRecord] = [:]
    private(set) var order: [String] = []
    private var importedAt: [String: Timestamp] = [:]
    /// The runs of the open import.
    private var importing: Set<String> = []
    private var lines: [String: [OutputDraft]] = [:]
    private var stores: [String: StreamEnd] = [:]
    /// The producers of reported runs, and removed run ids.
    var reports = MemoryReports()

    var runCount: Int { records.count }

    // MARK: Writing

    mutating func append(_ drafts: [ChangeDraft]) throws(JournalError) -> [Change] {
        var lasts: [StreamID: StreamEnd] = [:]
        for draft in drafts {
            try draft.check(follows: lasts[draft.stream] ?? last(of: draft.stream))
            lasts[draft.stream] = (draft.revision, draft.subject)
        }
        guard head.distance(to: .max) >= drafts.count else { throw .noPlaceLeft }
        return drafts.map { add($0, origin: nil) }
    }

    @discardableResult mutating func add(_ draft: ChangeDraft, origin: ChangeOrigin?) -> Change {
        head = head.next
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

    mutating func appendOutput(run: String, lines drafts: [OutputDraft]) throws(JournalError) -> SequenceNumber {
        guard records[run] != nil else { throw .unknownRun(run) }
        lines[run, default: []] += drafts
        return outputCount(of: run)
    }

    // MARK: Pruning

    @discardableResult mutating func prune(_ policy: RetentionPolicy, now: Timestamp) -> Int {
        let leaving = leaving(policy, now: now)
        if !leaving.isEmpty { remove(leaving) }
        if let limit = policy.maximumChangesPerStore { removeSteps(beyond: max(1, limit)) }
        return leaving.count
    }

    func forecast(_ policy: RetentionPolicy, now: Timestamp, after sequence: SequenceNumber) -> RetentionForecast {
        RetentionForecast(
            runs: leaving(policy, now: now).count, kept: records.values.count { $0.endedAt != nil },
            recent: records.values.count { $0.endedAt != nil && $0.origin == nil && $0.sequence > sequence })
    }

    /// The runs that the policy removes: by age first, then by the count of the rest.
    private func leaving(_ policy: RetentionPolicy, now: Timestamp) -> Set<String> {
        struct Kind: Hashable {
            let operation: String
            let isImported: Bool
        }
        var kept: [Kind: Int] = [:]
        var leaving: Set<String> = []
        for id in order.reversed() where !importing.contains(id) {
            guard let record = records[id], let endedAt = record.endedAt else { continue }
            let limits = policy.limits(of: record.operation)
            let age = now - max(endedAt, importedAt[id] ?? endedAt)
            if let maximum = limits.maximumAge, age > maximum {
                leaving.insert(id)
                continue
            }
            let kind = Kind(operation: record.operation, isImported: record.origin != nil)
            kept[kind, default: 0] += 1
            if let maximum = limits.maximumRuns, kept[kind, default: 0] > maximum { leaving.insert(id) }
        }
        return leaving
    }

    // MARK: Importing

    mutating func addImported(_ entries: [ImportedEntry], at now: Timestamp) throws(JournalError) {
        guard head.distance(to: .max) >= entries.count else { throw .noPlaceLeft }
        var lasts: [StreamID: StreamEnd] = [:]
        for entry in entries {
            switch entry {
            case .change(let draft, _):
                try draft.check(follows: lasts[draft.stream] ?? last(of: draft.stream))
                lasts[draft.stream] = (draft.revision, draft.subject)
            case .line(let run, _):
                guard lasts[.run(run)] != nil || records[run] != nil else { throw .unknownRun(run) }
            }
        }
        for entry in entries {
            switch entry {
            case .change(let draft, let origin):
                add(draft, origin: origin)
                guard case .run(let id) = draft.stream, draft.revision == 0 else { continue }
                importing.insert(id)
                importedAt[id] = now
            case .line(let run, let line): lines[run, default: []].append(line)
            }
        }
    }

    mutating func commitImport() { importing = [] }

    mutating func rollBackImport() -> Int {
        let runs = importing
        importing = []
        guard !runs.isEmpty else { return 0 }
        let operations = Set(runs.compactMap { records[$0]?.operation })
        remove(runs)
        head = head.next
        for topic in [.board] + operations.map(Topic.operation) { raise(topic, head) }
        return runs.count
    }

    /// Removes the oldest changes of stores that exceed a limit.
    private mutating func removeSteps(beyond limit: Int) {
        var first: [String: SequenceNumber] = [:]
        for id in stores.keys {
            let topic = Topic.store(id)
            let kept = sequences[topic] ?? []
            guard let floor = kept.dropLast(limit).last else { continue }
            sequences[topic] = kept.suffix(limit)
            first[id] = kept.suffix(limit).first
            raise(topic, floor)
            raise(.board, floor)
        }
        guard !first.isEmpty else { return }
        changes.removeAll { change in
            guard case .store(let id) = change.stream, let first = first[id] else { return false }
            return change.sequence < first
        }
    }

    private mutating func raise(_ topic: Topic, _ sequence: SequenceNumber) {
        floors[topic] = max(floors[topic] ?? 0, sequence)
        pruned[topic] = max(pruned[topic] ?? 0, sequence)
    }

    func pruned(of topic: Topic) -> SequenceNumber { pruned[topic] ?? 0 }

    // MARK: Deleting

    mutating func delete(_ run: String, by actor: String, at now: Timestamp) throws(JournalError) -> RunDeletionOutcome
    {
        let family = RunFamily(of: run) {
            records[$0].map(member)
        } steps: { whole in
            let keys = RunOpening.stepKeys(of: whole)
            return order.compactMap { records[$0] }
                .filter { $0.opening.idempotencyKey?.hasPrefix(keys) == true }.map(member)
        }
        if let refusal = family.refusal { return refusal }
        guard head.distance(to: .max) >= family.members.count else { throw .noPlaceLeft }
        var added: [RunDeletion] = []
        for member in family.members {
            head = head.next
            added.append(
                RunDeletion(sequence: head, run: member.id, operation: member.operation, at: now, actor: actor))
            for topic in [Topic.board, .operation(member.operation)] { floors[topic] = head }
        }
        remove(Set(added.map(\.run)), raisingFloors: false)
        deletions = (deletions + added).suffix(Self.deletionLimit)
        return .deleted(added)
    }

    private func member(_ record: RunRecord) -> RunFamily.Member {
        RunFamily.Member(
            id: record.id, operation: record.operation, opened: record.openedSequence,
            hasEnded: record.endedAt != nil && !importing.contains(record.id), changes: record.revision + 1,
            idempotencyKey: record.opening.idempotencyKey)
    }

    private mutating func remove(_ runs: Set<String>, raisingFloors: Bool = true) {
        var operations: Set<String> = []
        for id in runs {
            guard let record = records.removeValue(forKey: id) else { continue }
            reports.remove(record)
            operations.insert(record.operation)
            if raisingFloors {
                for topic in [Topic.board, .operation(record.operation)] { raise(topic, record.sequence) }
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

    func floor(of topic: Topic) -> SequenceNumber {
        switch topic {
        case .run(let id) where records[id] == nil: floors[.board] ?? 0
        default: floors[topic] ?? 0
        }
    }

    func changes(of topic: Topic, after: SequenceNumber, through last: SequenceNumber, limit: Int) -> [Change] {
        guard limit > 0, after < last else { return [] }
        guard topic != .board else {
            let start = changes.partitioningIndex { $0.sequence > after }
            return Array(changes[start...].prefix(limit).prefix { $0.sequence <= last })
        }
        let sequences = sequences[topic] ?? []
        let start = sequences.partitioningIndex { $0 > after }
        return sequences[start...].prefix(limit).prefix { $0 <= last }.map(change(at:))
    }

    func newestChanges(of topic: Topic, through sequence: SequenceNumber, limit: Int) -> [Change] {
        guard topic != .board else {
            let end = changes.partitioningIndex { $0.sequence > sequence }
            return Array(changes[..<end].suffix(max(0, limit)))
        }
        let sequences = sequences[topic] ?? []
        let end = sequences.partitioningIndex { $0 > sequence }
        return sequences[..<end].suffix(max(0, limit)).map(change(at:))
    }

    func output(of run: String, after number: SequenceNumber, limit: Int) -> [OutputLine] {
        (lines[run] ?? []).dropFirst(Int(clamping: number.rawValue)).prefix(max(0, limit)).enumerated().map {
            OutputLine(number: number.advanced(by: $0.offset).next, draft: $0.element)
        }
    }

    func outputCount(of run: String) -> SequenceNumber { SequenceNumber(clamping: lines[run]?.count ?? 0) }

    /// The change with a sequence, which must be kept.
    func change(at sequence: SequenceNumber) -> Change {
        changes[changes.partitioningIndex { $0.sequence >= sequence }]
    }
}
