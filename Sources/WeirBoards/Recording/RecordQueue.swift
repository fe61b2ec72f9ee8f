import WeirJournals
import WeirStates

/// What is to be recorded, in order: which states count, which ticks are left out, and what is on its way.
///
/// Pure.
///
/// A state of another case than the one before is a transition, and always queued. One of the same case is a tick: of
/// each stream one tick is queued in each *window* of time; of those that come in between, the newest is held until the
/// window is over or a transition comes, so that the last tick before a transition is always there. While the journal
/// does not keep up, a newer tick takes the place of an older one that still waits. So what waits grows with the
/// transitions only, and with the ticks of runs of which every tick is to be recorded, up to a limit. A store's steps are all queued, none of them stands for another, and its stream never ends.
struct RecordQueue: Sendable {
    private var streams: [StreamID: RecordStream] = [:]
    private var entries = RingBuffer<RecordEntry>()
    private var closed: Set<StreamID> = []
    /// Streams of which nothing can be recorded any more.
    private var abandoned: Set<StreamID> = []
    private var taken = 0
    private let everyTickLimit: Int

    /// Makes an empty queue; from so many waiting changes on, ticks are sampled in every stream.
    init(everyTickLimit: Int = .max) { self.everyTickLimit = everyTickLimit }

    /// How many changes wait, those included that are on their way.
    var count: Int { entries.count }

    /// Whether a window is open that must be ended.
    var isSampling: Bool { !closed.isEmpty }

    /// Begins a stream with its first change.
    mutating func open(
        _ stream: StreamID, subject: String, _ state: StateRecord, at: Timestamp, cause: String?, opening: RunOpening?,
        ticks: TickRecording = .sampled
    ) {
        streams[stream] = RecordStream(subject: subject, last: state, ticks: ticks, hasEnded: state.phase.isEnded)
        append(
            RecordEntry(
                stream: stream, at: at, state: state, isTransition: true, cause: cause, opening: opening, step: nil))
    }

    /// Takes up a stream after the last change that is recorded of it.
    mutating func resume(
        _ stream: StreamID, subject: String, _ state: StateRecord, revision: Int64, ticks: TickRecording = .sampled
    ) {
        streams[stream] = RecordStream(subject: subject, last: state, revision: revision + 1, ticks: ticks)
    }

    /// Leaves a stream to another server, once everything that came of it is recorded.
    ///
    /// - Returns: Whether it does: not when the stream has ended, or something of it waits.
    mutating func leave(_ stream: StreamID) -> Bool {
        guard let known = streams[stream], !known.hasEnded, known.held == nil,
            !(entries.start..<entries.start + entries.count).contains(where: { entries[$0]?.stream == stream })
        else { return false }
        streams[stream] = nil
        return true
    }

    /// Takes a store's next step in.
    mutating func append(_ step: StoreStep, to stream: StreamID, _ state: StateRecord, at: Timestamp, cause: String?) {
        streams[stream]?.last = state
        append(
            RecordEntry(
                stream: stream, at: at, state: state, isTransition: true, cause: cause, opening: nil, step: step))
    }

    /// Takes a stream's next state in; not one that equals the one before, nor one after the stream's end.
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

    /// Gives up a stream that another server has ended: what waits of it leaves with the next `take`, when nothing is on its
    /// way any more.
    mutating func abandon(_ stream: StreamID) {
        guard streams[stream] != nil else { return }
        streams[stream]?.held = nil
        abandoned.insert(stream)
    }

    private mutating func dropAbandoned() {
        guard !abandoned.isEmpty else { return }
        var kept = RingBuffer<RecordEntry>()
        while let entry = entries.removeFirst() {
            if !abandoned.contains(entry.stream) { kept.append(entry) }
        }
        entries = kept
        // The places of ticks that a newer one may replace have changed.
        for stream in streams.keys { streams[stream]?.tick = nil }
        for stream in abandoned { streams[stream] = nil }
        closed.subtract(abandoned)
        abandoned = []
    }

    /// The next changes, at most so many; they stay in the queue until they are told to be recorded.
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

/// A change that waits to be recorded; its revision is known when it is taken.
struct RecordEntry: Sendable {
    let stream: StreamID
    let at: Timestamp
    let state: StateRecord
    let isTransition: Bool
    let cause: String?
    let opening: RunOpening?
    let step: StoreStep?
}

/// What the queue knows of one stream that is being recorded.
struct RecordStream: Sendable {
    /// The operation or store it is about.
    let subject: String
    /// The state that came last, whether or not it was queued.
    var last: StateRecord
    /// The revision of the next change to be taken.
    var revision: Int64 = 0
    /// A tick that came too soon after the one before.
    var held: RecordEntry?
    /// The place of the stream's newest entry if that is a tick, which a newer tick may still replace.
    var tick: Int?
    /// Which ticks are recorded.
    var ticks = TickRecording.sampled
    /// Whether the last state is an end.
    var hasEnded = false
}
