import NIOCore

/// Ends what takes too long.
extension ConnectionGuard {
    /// Whom the connection waits for.
    func activity() -> ConnectionMachine.Activity? {
        guard let context else { return nil }
        observeUnsent(context)
        if isDiscarding { return .leaving }
        let activity = machine.activity(now: context.eventLoop.now)
        if case .idle = activity, isClosing { return .leaving }
        return activity
    }

    func checkProgress() {
        guard let context, !isDiscarding else { return }
        observeUnsent(context)
        switch machine.decision(now: context.eventLoop.now) {
        case .fine: break
        case .idle: context.close(promise: nil)
        case .slowHead: answer(.slowHead)
        case .slowBody: stopBody(.tooSlow)
        case .stalled: reset(context)
        }
    }

    private func observeUnsent(_ context: ChannelHandlerContext) {
        guard let unsent = try? context.channel.syncOptions?.getOption(.bufferedWritableBytes) else { return }
        machine.observed(unsent: unsent, now: context.eventLoop.now)
    }

    /// Ends a body whose client continues sending: whoever reads it is given the reason, and answers.
    func stopBody(_ reason: BodyStop) {
        guard let context, machine.isReadingRequest, !isBodyStopped, !isDiscarding else { return }
        isBodyStopped = true
        guard machine.unanswered > 0, !machine.isHolding else {
            context.close(promise: nil)
            return
        }
        isClosing = true
        context.fireErrorCaught(reason)
        schedule(in: limits.linger) { watch in
            if !watch.isDiscarding { watch.closeNow() }
        }
    }

    func makeRoom(_ context: ChannelHandlerContext) {
        observeUnsent(context)
        switch machine.activity(now: context.eventLoop.now) {
        case .idle: context.close(promise: nil)
        case .slow: reset(context)
        case .held: context.fireUserInboundEventTriggered(ConnectionEvent.makeRoom)
        case .busy: isClosing = true
        case .leaving: break
        }
    }
}
