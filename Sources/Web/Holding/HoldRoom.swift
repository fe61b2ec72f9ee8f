import Journals
import NIOConcurrencyHelpers

/// Where everybody waits who waits for a change: one bench a topic, made when somebody comes and given up when empty.
final class HoldRoom<Ticket: Sendable>: Sendable {
    /// What became of somebody who came to wait.
    enum Entry {
        case pass(head: Int64)
        case held(HoldPlace<Ticket>)
        case draining
    }

    private struct State {
        var benches: [Topic: HoldBench<Ticket>] = [:]
        var isDraining = false
    }

    private let source: any HeadSource
    private let clock: any HoldClock
    private let onRelease: @Sendable ([HoldMachine<Ticket>.Release]) -> Void
    private let state = NIOLockedValueBox(State())

    /// Makes a room.
    ///
    /// `onRelease` is called outside of any lock with those who are let go; they are no longer in the room.
    init(
        source: any HeadSource, clock: any HoldClock,
        onRelease: @escaping @Sendable ([HoldMachine<Ticket>.Release]) -> Void
    ) {
        self.source = source
        self.clock = clock
        self.onRelease = onRelease
    }

    /// Waits for a change of the topic after a sequence, until an uptime in milliseconds.
    func enter(_ ticket: Ticket, topic: Topic, after: Int64, until deadline: Int64) -> Entry {
        while true {
            guard let bench = bench(of: topic) else { return .draining }
            switch bench.enter(ticket, after: after, until: deadline) {
            case .pass(let head): return .pass(head: head)
            case .draining: return .draining
            case .held(let id): return .held(HoldPlace(bench: bench, id: id))
            case .closed: continue
            }
        }
    }

    /// Lets everybody go within `spread` milliseconds and holds nobody any more.
    func drain(spread: Int64) {
        let benches = state.withLockedValue { state -> [Topic: HoldBench<Ticket>] in
            guard !state.isDraining else { return [:] }
            state.isDraining = true
            return state.benches
        }
        for (index, bench) in benches.values.enumerated() { bench.drain(spread: spread, seed: UInt64(index)) }
    }

    /// Lets those go who fit, though there is no change; they may come back.
    func interrupt(where fits: (Ticket) -> Bool) {
        for bench in state.withLockedValue({ Array($0.benches.values) }) { bench.interrupt(where: fits) }
    }

    /// Whether the server shuts down.
    var isDraining: Bool { state.withLockedValue { $0.isDraining } }

    /// How many wait.
    ///
    /// Counts, so it is not for each request.
    var count: Int { state.withLockedValue { Array($0.benches.values) }.reduce(0) { $0 + $1.count } }

    /// How many topics have a bench.
    var benchCount: Int { state.withLockedValue { $0.benches.count } }

    private func bench(of topic: Topic) -> HoldBench<Ticket>? {
        let (bench, isNew) = state.withLockedValue { state -> (HoldBench<Ticket>?, Bool) in
            if state.isDraining { return (nil, false) }
            if let bench = state.benches[topic] { return (bench, false) }
            let bench = HoldBench<Ticket>(
                topic: topic, source: source, clock: clock, onRelease: onRelease,
                onClose: { [weak self] in self?.remove($0) })
            state.benches[topic] = bench
            return (bench, true)
        }
        if isNew { bench?.open() }
        return bench
    }

    private func remove(_ bench: HoldBench<Ticket>) {
        state.withLockedValue { state in
            if state.benches[bench.topic] === bench { state.benches[bench.topic] = nil }
        }
    }
}

/// A place in the room, to be left when one gives up waiting.
struct HoldPlace<Ticket: Sendable>: Sendable {
    let bench: HoldBench<Ticket>
    let id: HoldMachine<Ticket>.ID

    /// Gives up waiting; false when one was let go before, and will be or has been told.
    func leave() -> Bool { bench.leave(id) != nil }
}
