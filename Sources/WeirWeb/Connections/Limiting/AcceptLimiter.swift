import Foundation
import Logging
import NIOCore

/// Stands on a server's listening socket: accepts no more connections than there may be, and makes room for new ones.
///
/// One more than `most` is taken in, and one that waits for its client is released for it; where none can be released,
/// and when the process has no file left, nobody is accepted until there is room. What it does is logged once when it
/// begins and once when it is over.
final class AcceptLimiter: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = any Channel
    typealias InboundOut = any Channel

    /// How long to wait for room before looking again.
    private static let pause: TimeAmount = .milliseconds(100)

    private let most: Int
    private let mostPerAddress: Int?
    private let calm: TimeAmount
    private let registry: ConnectionRegistry
    private let logger: Logger
    /// Called, at most once a second, when requests must be released that the server only waits with.
    private let onPressure: @Sendable () -> Void
    private var count = 0
    private var countPerAddress: [ConnectionAddress: Int] = [:]
    private var context: ChannelHandlerContext?
    private var isPaused = false
    private var isOutOfFiles = false
    private var isLooking = false
    private var isRetryScheduled = false
    /// Since when all connections are taken, and when that was last so.
    private var crowded: (since: NIODeadline, last: NIODeadline, letGo: Int)?
    private var lastPressure: NIODeadline?

    init(
        most: Int, limits: ConnectionLimits, registry: ConnectionRegistry, logger: Logger,
        onPressure: @escaping @Sendable () -> Void
    ) {
        self.most = most
        mostPerAddress = limits.countPerAddress
        calm = limits.calm
        self.registry = registry
        self.logger = logger
        self.onPressure = onPressure
    }

    /// How many more than `most` may be open while room is made for them.
    private var slack: Int { min(256, max(4, most / 32)) }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelInactive(context: ChannelHandlerContext) {
        self.context = nil
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let channel = unwrapInboundIn(data)
        let address = ConnectionAddress(channel.remoteAddress)
        count += 1
        countPerAddress[address, default: 0] += 1
        if let mostPerAddress, countPerAddress[address, default: 0] > mostPerAddress { registry.refuse(channel) }
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        channel.closeFuture.hop(to: context.eventLoop).whenComplete { _ in bound.value.left(address) }
        context.fireChannelRead(data)
        if count > most { makeRoom() }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if let error = error as? IOError, [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(error.errnoCode) {
            isOutOfFiles = true
            // Nobody else may see it: the listening would end.
            makeRoom()
            return
        }
        context.fireErrorCaught(error)
    }

    private func left(_ address: ConnectionAddress) {
        count -= 1
        let rest = (countPerAddress[address] ?? 1) - 1
        countPerAddress[address] = rest > 0 ? rest : nil
        if isPaused, !isOutOfFiles, count < most + slack { setPaused(false) }
    }

    private func makeRoom() {
        guard let context else { return }
        announce(context.eventLoop.now)
        if isOutOfFiles || count >= most + slack { setPaused(true) }
        if !isRetryScheduled {
            isRetryScheduled = true
            let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
            context.eventLoop.scheduleTask(in: Self.pause) { bound.value.retry() }
        }
        guard !isLooking else { return }
        isLooking = true
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        registry.candidates(on: context.eventLoop).whenComplete { result in
            bound.value.letGo((try? result.get()) ?? [])
        }
    }

    private func letGo(_ candidates: [Eviction.Candidate]) {
        isLooking = false
        guard let context else { return }
        let now = context.eventLoop.now
        let wanted = isOutOfFiles ? slack : count - most
        let chosen = Eviction.choose(candidates, count: wanted, now: now)
        crowded?.letGo += chosen.count
        registry.makeRoom(chosen.map(\.id))
        guard chosen.contains(where: { if case .busy = $0.activity { true } else { false } }) else { return }
        if let lastPressure, now - lastPressure < .seconds(1) { return }
        lastPressure = now
        onPressure()
    }

    private func retry() {
        isRetryScheduled = false
        isOutOfFiles = false
        if isPaused, count < most + slack { setPaused(false) }
        if count > most { makeRoom() }
    }

    /// Turns accepting off and on: a handler that held reads back could not, since the socket stays readable.
    private func setPaused(_ paused: Bool) {
        guard paused != isPaused, let context else { return }
        isPaused = paused
        try? context.channel.syncOptions?.setOption(.autoRead, value: !paused)
    }

    // MARK: Words

    private func announce(_ now: NIODeadline) {
        guard crowded == nil else {
            crowded?.last = now
            return
        }
        crowded = (now, now, 0)
        if isOutOfFiles {
            logger.warning(
                "This process has no file descriptor left for another connection. Raise `ulimit -n`, or lower `connections.count`.",
                metadata: ["connections": "\(count)"])
        } else {
            logger.warning(
                "All connections are in use. Connections that wait for their client are closed to make room for new ones. To allow more, raise `connections.count` and `ulimit -n`.",
                metadata: ["connections": "\(most)"])
        }
        scheduleEnd()
    }

    private func scheduleEnd() {
        guard let context else { return }
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: min(calm, .seconds(1))) { bound.value.endIfCalm() }
    }

    private func endIfCalm() {
        guard let crowded, let context else { return }
        let now = context.eventLoop.now
        guard now - crowded.last >= calm, count <= most else {
            scheduleEnd()
            return
        }
        self.crowded = nil
        logger.notice(
            "There is room for connections again.",
            metadata: [
                "connections": "\(count)", "letGo": "\(crowded.letGo)",
                "seconds": "\((now - crowded.since).nanoseconds / 1_000_000_000)",
            ])
    }
}
