import Foundation
import Logging
import NIOCore
import WeirStates

/// Limits the accepted connections on a server's listening socket, and frees places for new ones.
///
/// A few connections beyond `most` are accepted while others that wait for their client are closed. If none can be closed, or
/// the process has almost no file descriptors left, accepting pauses until there is room. The start and the end of such a period are
/// logged once each.
final class AcceptLimiter: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = any Channel
    typealias InboundOut = any Channel

    private static let pause: TimeAmount = .milliseconds(100)

    private let most: Int
    private let mostPerAddress: Int?
    private let calm: TimeAmount
    private let registry: ConnectionRegistry
    private let logger: Logger
    /// Called at most once a second when the server's pending requests should be released.
    private let onPressure: @Sendable () -> Void
    private let lacksFiles: () -> Bool
    private var count = 0
    private var countPerAddress: [ConnectionAddress: Int] = [:]
    private var context: ChannelHandlerContext?
    private var isPaused = false
    private var isOutOfFiles = false
    private var isLooking = false
    private var isRetryScheduled = false
    /// The current period in which all connections are in use: its start, its latest occurrence, and the number closed.
    private var crowded: (since: NIODeadline, last: NIODeadline, letGo: Int)?
    private var lastPressure: NIODeadline?

    init(
        most: Int, limits: ConnectionLimits, registry: ConnectionRegistry, logger: Logger,
        onPressure: @escaping @Sendable () -> Void,
        lacksFiles: @escaping () -> Bool = { FileLimit.isNearlyReached }
    ) {
        self.most = most
        mostPerAddress = limits.countPerAddress
        calm = limits.calm
        self.registry = registry
        self.logger = logger
        self.onPressure = onPressure
        self.lacksFiles = lacksFiles
    }

    /// The number of connections beyond `most` that may be open while others are closed.
    private var slack: Int { min(256, max(4, most / 32)) }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        // A pause has no effect on the rest of a batch.
        try? context.channel.syncOptions?.setOption(.maxMessagesPerRead, value: 4)
    }

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
        isOutOfFiles = isOutOfFiles || lacksFiles()
        if isOutOfFiles || count > most { makeRoom() }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if let error = error as? IOError, [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(error.errnoCode) {
            isOutOfFiles = true
            // Do not forward the error: it would close the listening socket.
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
        isOutOfFiles = lacksFiles()
        if isOutOfFiles { return makeRoom() }
        if isPaused, count < most + slack { setPaused(false) }
        if count > most { makeRoom() }
    }

    /// Pauses or resumes accepting; withholding reads in a handler is not enough, because the socket stays readable.
    private func setPaused(_ paused: Bool) {
        guard paused != isPaused, let context else { return }
        isPaused = paused
        try? context.channel.syncOptions?.setOption(.autoRead, value: !paused)
    }

    // MARK: Logging

    private func announce(_ now: NIODeadline) {
        guard crowded == nil else {
            crowded?.last = now
            return
        }
        crowded = (now, now, 0)
        if isOutOfFiles {
            logger.warning(
                "This process has too few file descriptors left for another connection. Raise `ulimit -n`, or lower `connections.count`.",
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
