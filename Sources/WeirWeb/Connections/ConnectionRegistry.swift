import NIOConcurrencyHelpers
import NIOCore

/// The open connections of a server, so that some can be closed when all are in use, and all when shutdown times out.
final class ConnectionRegistry: Sendable {
    private struct Entry {
        let channel: any Channel
        let address: ConnectionAddress
        let watch: NIOLoopBound<any RegisteredConnection>
    }

    private struct State {
        var entries: [ObjectIdentifier: Entry] = [:]
        var refused: Set<ObjectIdentifier> = []
        /// The event loops whose connections are checked periodically.
        var checked: Set<ObjectIdentifier> = []
        var isOver = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = NIOLockedValueBox(State())

    /// Adds a connection, or replaces its entry; call it on the connection's event loop.
    ///
    /// With an interval, all connections of an event loop are checked together, starting with the first one added. A nil
    /// interval adds a connection that needs no checks.
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

    var count: Int { state.withLockedValue { $0.entries.count } }

    /// Closes all connections, including those opened later.
    func closeAll() {
        let entries = state.withLockedValue { state in
            state.isOver = true
            return Array(state.entries.values)
        }
        for entry in entries { close(entry) }
    }

    /// Suspends until no connection is open; ignores cancellation.
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

    // MARK: Eviction

    /// Marks a connection to be refused as soon as it is active.
    func refuse(_ channel: any Channel) {
        state.withLockedValue { _ = $0.refused.insert(ObjectIdentifier(channel)) }
    }

    func isRefused(_ channel: any Channel) -> Bool {
        state.withLockedValue { $0.refused.contains(ObjectIdentifier(channel)) }
    }

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

    func makeRoom(_ ids: [ObjectIdentifier]) {
        let entries = state.withLockedValue { state in ids.compactMap { state.entries[$0] } }
        for entry in entries { entry.channel.pipeline.fireUserInboundEventTriggered(ConnectionEvent.makeRoom) }
    }
}

/// A connection in the registry; all methods are called on its event loop.
protocol RegisteredConnection: AnyObject {
    /// The party the connection waits for; nil after its end.
    func activity() -> ConnectionMachine.Activity?
    /// Closes the connection without waiting for pending reads or writes.
    func closeNow()
    func checkProgress()
}

extension RegisteredConnection {
    func checkProgress() {}
}
