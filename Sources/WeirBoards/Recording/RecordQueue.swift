import WeirJournals
import WeirStates

/// The queue of changes to record: decides which states count and which ticks to drop, and tracks the changes in flight.
///
/// A pure state machine. A state of another case than the previous one is a transition, which is always queued. A state
/// of the same case is a tick: one tick per stream is queued in each *window* of time. Of further ticks, the newest is
/// held until the window ends or a transition follows, so that the last tick before a transition is always recorded.
/// While the journal falls behind, a newer tick replaces an older one that is still queued. The queue therefore grows
/// only with transitions and, up to a limit, with the ticks of runs that record every tick. All steps of a store are
/// queued, none replaces another, and a store's stream never ends.
struct RecordQueue: Sendable {
    private var streams: [StreamID: RecordStream] = [:]
    private var entries = RingBuffer<RecordEntry>()
    private var closed: Set<StreamID> = []
    /// The streams whose queued changes can no longer be recorded.
    private var abandoned: Set<StreamID> = []
    private var taken = 0
    /// The place of the first slot of `entries`, counted over all changes.
    private var base = 0
    /// The ends of runs whose output is not recorded yet.
    private var ends: [StreamID: RecordEntry] = [:]
    private let everyTickLimit: Int

    /// Creates an empty queue; while it has `everyTickLimit` changes or more, ticks of every stream are sampled.
    init(everyTickLimit: Int = .max) { self.everyTickLimit = everyTickLimit }

    /// The number of queued changes, including those in flight.
    var count: Int { entries.count }

    /// The place after the newest queued change; grows with each change.
    var end: Int { base + entries.end }

    /// Whether all changes before a place are confirmed, held as an end, or dropped.
    func isSettled(before place: Int) -> Bool { base + entries.start >= place }

    var isSampling: Bool { !closed.isEmpty }

    var holdsEnds: Bool { !ends.isEmpty }

    mutating func open(
        _ stream: StreamID, subject: String, _ state: StateRecord, at: Timestamp, cause: String?, opening: RunOpening?,
        ticks: TickRecording = .sampled
    ) {
        streams[stream] = RecordStream(subject: subject, last: state, ticks: ticks, hasEnded: state.phase.isEnded)
        append(
            RecordEntry(
                stream: stream, at: at, state: state, isTransition: true, cause: cause, opening: opening, step: nil))
    }

    mutating func resume(
        _ stream: StreamID, subject: String, _ state: StateRecord, revision: Int64, ticks: TickRecording = .sampled
    ) {
        streams[stream] = RecordStream(subject: subject, last: state, revision: revision + 1, ticks: ticks)
    }

    /// Releases a stream to another server, if all its states are recorded.
    ///
    /// - Returns: False if the stream has ended, or a change of it is queued or held.
    mutating func leave(_ stream: StreamID) -> Bool {
        guard let known = streams[stream], !known.hasEnded, known.held == nil,
            !(entries.start..<entries.start + entries.count).contains(where: { entries[$0]?.stream == stream })
        else { return false }
        streams[stream] = nil
        return true
    }

    mutating func append(_ step: StoreStep, to stream: StreamID, _ state: StateRecord, at: Timestamp, cause: String?) {
        streams[stream]?.last = state
        append(
            RecordEntry(
                stream: stream, at: at, state: state, isTransition: true, cause: cause, opening: nil, step: step))
    }

    /// Adds a stream's next state, unless it equals the previous one or the stream has ended.
    mutating func offer(_ stream: StreamID, _ state: StateRecord, at: Timestamp, cause: String?) {
        guard var known = streams[stream], !known.hasEnded, known.last != state else { return }
        let isTransition = known.last.caseName != state.caseName || known.last.phase != state.phase
        known.last = state
        known.hasEnded = state.phase.isEnded
        let entry = RecordEntry(
            stream: stream, at: at, state: state, isTransition: isTransition, cause: cause, opening: nil, step: nil)
        let isSampled = !isTransition && !recordsEveryTick(of: known)
        if isSampled, closed.contains(stream) {
            known.held = entry
            streams[stream] = known
            return
        }
        let held = isSampled ? nil : known.held
        known.held = nil
        streams[stream] = known
        if let held { append(held) }
        append(entry)
        if isSampled { closed.insert(stream) }
    }

    /// Adds a change of the cause alone, unless the stream has ended.
    mutating func note(_ cause: EndCause, of stream: StreamID, at: Timestamp) {
        guard let known = streams[stream], !known.hasEnded else { return }
        append(
            RecordEntry(
                stream: stream, at: at, state: known.last, isTransition: false, cause: cause.description, opening: nil,
                step: nil))
    }

    /// Ends the window, queues the held ticks, and starts the next window.
    ///
    /// - Returns: Whether the next window is open, because a tick was queued.
    mutating func openWindow() -> Bool {
        let held = closed.compactMap { streams[$0]?.held }.sorted { $0.at < $1.at }
        closed = Set(held.map(\.stream))
        for entry in held {
            streams[entry.stream]?.held = nil
            append(entry)
        }
        return !closed.isEmpty
    }

    mutating func releaseHeld() {
        _ = openWindow()
        closed = []
    }

    /// Abandons a stream that another server has ended; the next `take` drops its changes, when none is in flight.
    mutating func abandon(_ stream: StreamID) {
        guard streams[stream] != nil else { return }
        streams[stream]?.held = nil
        ends[stream] = nil
        abandoned.insert(stream)
    }

    /// Holds the first change of the queue, which is the end of a run; call it when no change is in flight.
    mutating func holdFirstEnd() {
        guard let entry = entries.removeFirst(), !abandoned.contains(entry.stream) else { return }
        ends[entry.stream] = entry
    }

    /// Queues the end of a run again, unless the stream has been abandoned.
    mutating func releaseEnd(of stream: StreamID) {
        if let entry = ends.removeValue(forKey: stream) { entries.append(entry) }
    }

    private mutating func dropAbandoned() {
        guard !abandoned.isEmpty else { return }
        let start = entries.start
        var kept = RingBuffer<RecordEntry>()
        while let entry = entries.removeFirst() {
            if !abandoned.contains(entry.stream) { kept.append(entry) }
        }
        // Places only shrink, so that no place is settled too early.
        base += start
        entries = kept
        // Dropping entries has shifted the places of replaceable ticks.
        for stream in streams.keys { streams[stream]?.tick = nil }
        for stream in abandoned { streams[stream] = nil }
        closed.subtract(abandoned)
        abandoned = []
    }

    /// The next changes, up to a limit; they stay in the queue until they are confirmed.
    mutating func take(_ limit: Int) -> [ChangeDraft] {
        dropAbandoned()
        var revisions: [StreamID: Int64] = [:]
        taken = min(limit, entries.count)
        return (entries.start..<entries.start + taken).compactMap { place in
            guard let entry = entries[place], let stream = streams[entry.stream] else { return nil }
            let revision = revisions[entry.stream] ?? stream.revision
            revisions[entry.stream] = revision + 1
            return ChangeDraft(
                stream: entry.stream, subject: stream.subject, revision: revision, at: entry.at, state: entry.state,
                isTransition: entry.isTransition, cause: entry.cause, opening: entry.opening, step: entry.step)
        }
    }

    /// Confirms the first `count` changes taken as recorded; the rest return to the queue.
    mutating func confirm(_ count: Int) {
        for _ in 0..<min(count, taken) {
            guard let entry = entries.removeFirst() else { break }
            if entry.step == nil, entry.state.phase.isEnded {
                streams[entry.stream] = nil
                closed.remove(entry.stream)
            } else {
                streams[entry.stream]?.revision += 1
            }
        }
        taken = 0
    }

    mutating func giveBack() { taken = 0 }

    func last(of stream: StreamID) -> StateRecord? { streams[stream]?.last }

    private func recordsEveryTick(of stream: RecordStream) -> Bool {
        stream.ticks == .every && entries.count < everyTickLimit
    }

    private mutating func append(_ entry: RecordEntry) {
        let isReplaceable = !entry.isTransition && !(streams[entry.stream].map(recordsEveryTick) ?? false)
        if isReplaceable, let place = streams[entry.stream]?.tick, place >= entries.start + taken {
            entries[place] = entry
            return
        }
        entries.append(entry)
        streams[entry.stream]?.tick = isReplaceable ? entries.end - 1 : nil
    }
}

/// A queued change without its revision, which `take` assigns.
struct RecordEntry: Sendable {
    let stream: StreamID
    let at: Timestamp
    let state: StateRecord
    let isTransition: Bool
    let cause: String?
    let opening: RunOpening?
    let step: StoreStep?
}

struct RecordStream: Sendable {
    let subject: String
    /// The last state, whether or not it was queued.
    var last: StateRecord
    var revision: Int64 = 0
    /// The newest tick of the open window that is not queued.
    var held: RecordEntry?
    /// The place of the stream's newest entry if it is a replaceable tick.
    var tick: Int?
    var ticks = TickRecording.sampled
    var hasEnded = false
}
