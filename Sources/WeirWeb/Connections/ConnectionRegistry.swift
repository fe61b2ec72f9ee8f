import NIOConcurrencyHelpers
import NIOCore

/// The open connections of a server, so that some can be let go when all are taken, and all at the end of its grace.
final class ConnectionRegistry: Sendable {
    private struct Entry {
        let channel: any Channel
        let address: ConnectionAddress
        let watch: NIOLoopBound<any RegisteredConnection>
    }

    private struct State {
        var entries: [ObjectIdentifier: Entry] = [:]
        var refused: Set<ObjectIdentifier> = []
        /// The event loops whose connections are held to their limits.
        var checked: Set<ObjectIdentifier> = []
        /// Whether the server is over, so that whoever still comes is closed.
        var isOver = false
        /// Those who wait until none is open.
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = NIOLockedValueBox(State())

    /// Takes in a connection, in place of what was known of it; called on its event loop.
    ///
    /// All connections of an event loop are held to their limits together, from the first of them on, each time an interval has
    /// passed; nil where the connection needs no such check.
    func add(_ channel: any Channel, _ watch: any RegisteredConnection, checkedEvery interval: TimeAmount? = nil) {
        let entry = Entry(
            channel: channel, address: ConnectionAddress(channel.remoteAddress),
            watch: NIOLoopBound(watch, eventLoop: channel.eventLoop))
        let (isOver, isFirst) = state.withLockedValue { state in
            state.entries[ObjectIdentifier(channel)] = entry
            return (
                state.isOver, interval != nil && state.checked.insert(ObjectIdentifier(channel.eventLoop)).inserted
            )
        }
        if isOver { close(entry) }
        if isFirst, let interval { check(on: channel.eventLoop, every: interval) }
    }

    /// How many connections are looked at in one turn of an event loop.
    private static let checkedAtOnce = 512

    private func check(on eventLoop: any EventLoop, every interval: TimeAmount) {
        eventLoop.scheduleTask(in: interval) { [weak self] in
            guard let self else { return }
            let entries = self.state.withLockedValue { state in
                let entries = state.entries.values.filter { $0.channel.eventLoop === eventLoop }
                if entries.isEmpty { state.checked.remove(ObjectIdentifier(eventLoop)) }
                return entries
            }
            guard !entries.isEmpty else { return }
            self.check(entries[...], on: eventLoop)
            self.check(on: eventLoop, every: interval)
        }
    }

    private func check(_ entries: ArraySlice<Entry>, on eventLoop: any EventLoop) {
        for entry in entries.prefix(Self.checkedAtOnce) { entry.watch.value.checkProgress() }
        let rest = entries.dropFirst(Self.checkedAtOnce)
        guard !rest.isEmpty else { return }
        eventLoop.execute { self.check(rest, on: eventLoop) }
    }

    func remove(_ channel: any Channel) {
        let waiting = state.withLockedValue { state in
            state.entries[ObjectIdentifier(channel)] = nil
            state.refused.remove(ObjectIdentifier(channel))
            guard state.entries.isEmpty else { return [CheckedContinuation<Void, Never>]() }
            defer { state.waiting = [] }
            return state.waiting
        }
        for each in waiting { each.resume() }
    }

    /// How many are open.
    var count: Int { state.withLockedValue { $0.entries.count } }

    /// Ends all that are open, and whatever is opened later.
    func closeAll() {
        let entries = state.withLockedValue { state in
            state.isOver = true
            return Array(state.entries.values)
        }
        for entry in entries { close(entry) }
    }

    /// Waits until none is open; cancelling the caller changes nothing.
    func emptied() async {
        await withCheckedContinuation { continuation in
            let isEmpty = state.withLockedValue { state in
                if !state.entries.isEmpty { state.waiting.append(continuation) }
                return state.entries.isEmpty
            }
            if isEmpty { continuation.resume() }
        }
    }

    private func close(_ entry: Entry) {
        let watch = entry.watch
        entry.channel.eventLoop.execute { watch.value.closeNow() }
    }

    // MARK: When there are too many

    /// Has a connection answered with a refusal as soon as it is open.
    func refuse(_ channel: any Channel) {
        state.withLockedValue { _ = $0.refused.insert(ObjectIdentifier(channel)) }
    }

    /// Whether a connection is to be refused.
    func isRefused(_ channel: any Channel) -> Bool {
        state.withLockedValue { $0.refused.contains(ObjectIdentifier(channel)) }
    }

    /// Whom each connection waits for.
    func candidates(on eventLoop: any EventLoop) -> EventLoopFuture<[Eviction.Candidate]> {
        let byLoop = Dictionary(grouping: state.withLockedValue { Array($0.entries) }) {
            ObjectIdentifier($0.value.channel.eventLoop)
        }
        let parts = byLoop.values.compactMap { entries -> EventLoopFuture<[Eviction.Candidate]>? in
            guard let loop = entries.first?.value.channel.eventLoop else { return nil }
            return loop.submit {
                entries.compactMap { id, entry in
                    entry.watch.value.activity().map {
                        Eviction.Candidate(id: id, address: entry.address, activity: $0)
                    }
                }
            }
        }
        return EventLoopFuture.whenAllSucceed(parts, on: eventLoop).map { $0.flatMap(\.self) }
    }

    /// Asks connections to make room, each in its way.
    func makeRoom(_ ids: [ObjectIdentifier]) {
        let entries = state.withLockedValue { state in ids.compactMap { state.entries[$0] } }
        for entry in entries { entry.channel.pipeline.fireUserInboundEventTriggered(ConnectionEvent.makeRoom) }
    }
}

/// A connection as the registry knows it; everything is called on its event loop.
protocol RegisteredConnection: AnyObject {
    /// Whom the connection waits for; nil for one that is over.
    func activity() -> ConnectionMachine.Activity?
    /// Ends the connection, whatever there is still to send or to read.
    func closeNow()
    /// Ends the connection if its client keeps it waiting for too long.
    func checkProgress()
}

extension RegisteredConnection {
    func checkProgress() {}
}
