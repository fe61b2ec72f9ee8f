import Journals
import States

/// What is to be recorded, in order: which states count, which ticks are left out, and what is on its way.
///
/// Pure.
///
/// A state of another case than the one before is a transition, and always queued. One of the same case is a tick: of
/// each stream one tick is queued in each *window* of time; of those that come in between, the newest is held until the
/// window is over or a transition comes, so that the last tick before a transition is always there. While the journal
/// does not keep up, a newer tick takes the place of an older one that still waits. So what waits grows with the
/// transitions only. A store's steps are all queued, none of them stands for another, and its stream never ends.
struct RecordQueue: Sendable {
    private var streams: [StreamID: RecordStream] = [:]
    private var entries = Ring<RecordEntry>()
    private var closed: Set<StreamID> = []
    private var taken = 0

    /// How many changes wait, those included that are on their way.
    var count: Int { entries.count }

    /// Whether a window is open that must be ended.
    var isSampling: Bool { !closed.isEmpty }

    /// Begins a stream with its first change.
    mutating func open(
        _ stream: StreamID, subject: String, _ state: StateRecord, at: Timestamp, cause: String?, opening: RunOpening?
    ) {
        streams[stream] = RecordStream(subject: subject, last: state, hasEnded: state.phase.isEnded)
        append(
            RecordEntry(
                stream: stream, at: at, state: state, isTransition: true, cause: cause, opening: opening, step: nil))
    }

    /// Takes up a store's stream after the last change that is recorded of it.
    mutating func resume(_ stream: StreamID, subject: String, _ state: StateRecord, revision: Int64) {
        streams[stream] = RecordStream(subject: subject, last: state, revision: revision + 1)
    }

    /// Takes a store's next step in.
    mutating func append(_ step: StoreStep, to stream: StreamID, _ state: StateRecord, at: Timestamp, cause: String?) {
        streams[stream]?.last = state
        append(
            RecordEntry(
                stream: stream, at: at, state: state, isTransition: true, cause: cause, opening: nil, step: step))
    }

    /// Takes a stream's next state in.
    ///
    /// - Returns: Whether it counts: not when it equals the one before, or the stream has ended.
    mutating func offer(_ stream: StreamID, _ state: StateRecord, at: Timestamp, cause: String?) -> Bool {
        guard var known = streams[stream], !known.hasEnded, known.last != state else { return false }
        let isTransition = known.last.caseName != state.caseName || known.last.phase != state.phase
        known.last = state
        known.hasEnded = state.phase.isEnded
        let entry = RecordEntry(
            stream: stream, at: at, state: state, isTransition: isTransition, cause: cause, opening: nil, step: nil)
        if !isTransition, closed.contains(stream) {
            known.held = entry
            streams[stream] = known
            return true
        }
        let held = isTransition ? known.held : nil
        known.held = nil
        streams[stream] = known
        if let held { append(held) }
        append(entry)
        if !isTransition { closed.insert(stream) }
        return true
    }

    /// Begins the next window: queues what was held.
    ///
    /// - Returns: Whether another window must follow, because a tick was queued in this one.
    mutating func openWindow() -> Bool {
        let held = closed.compactMap { streams[$0]?.held }.sorted { $0.at < $1.at }
        closed = Set(held.map(\.stream))
        for entry in held {
            streams[entry.stream]?.held = nil
            append(entry)
        }
        return !closed.isEmpty
    }

    /// Queues what is held without waiting for its window.
    mutating func releaseHeld() {
        _ = openWindow()
        closed = []
    }

    /// The next changes, at most so many; they stay in the queue until they are told to be recorded.
    mutating func take(_ limit: Int) -> [ChangeDraft] {
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

    /// So many of what was taken are recorded, and leave; the others wait again.
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

    /// What was taken could not be recorded, and waits again.
    mutating func giveBack() { taken = 0 }

    /// The last state of a stream that is open.
    func last(of stream: StreamID) -> StateRecord? { streams[stream]?.last }

    private mutating func append(_ entry: RecordEntry) {
        if !entry.isTransition, let place = streams[entry.stream]?.tick, place >= entries.start + taken {
            entries[place] = entry
            return
        }
        entries.append(entry)
        streams[entry.stream]?.tick = entry.isTransition ? nil : entries.end - 1
    }
}
