import HTTPTypes
import NIOCore

/// Polls that need no parsing, and what a connection without any other request goes without.
extension ConnectionGuard {
    /// Whoever answers polls is there, or is not any more.
    func setPolls(_ handler: HeldPollHandler?) { polls = handler }

    /// The request that these bytes are, if it is known and can be answered at once.
    func recognize(_ bytes: ByteBuffer) -> KnownHeads.Known? {
        guard let heads, let polls, context != nil, machine.unanswered == 0, !machine.isReadingRequest, !isClosing,
            !isDiscarding, polls.isIdle
        else { return nil }
        return heads.recognize(bytes)
    }

    /// Has a request answered that was recognised.
    func answer(_ known: KnownHeads.Known) {
        guard let context, let polls else { return }
        machine.requestBegan(bodyLength: 0, now: context.eventLoop.now)
        machine.requestEnded(now: context.eventLoop.now)
        polls.answer(known)
    }

    /// A poll is parsed that may be known from now on.
    func parsed(_ request: PollRequest, _ head: HTTPRequest) {
        // Of several requests that wait, nobody could tell which of them the bytes were that came last.
        if heads != nil, machine.unanswered == 1 { parsedPoll = (request, head) }
    }

    /// Bytes are handed on, and none of them parsed yet.
    func parsingBegan() { parsedPoll = nil }

    /// The bytes are parsed: these, if they were one request and nothing else.
    func parsingEnded(_ bytes: ByteBuffer?) {
        guard let (request, head) = parsedPoll else { return }
        parsedPoll = nil
        if let bytes { heads?.remember(bytes, as: request, head) }
    }

    /// Whether nothing can be parsed or encoded yet.
    var isBare: Bool { codec != nil }

    /// Installs what parses and encodes, if that is still to be done; false if that fails and the connection is closed.
    func installCodec() -> Bool {
        guard let codec else { return true }
        self.codec = nil
        guard let context, let throttle else { return false }
        do {
            try codec.install(on: context.channel, between: throttle, and: self)
            return true
        } catch {
            context.close(promise: nil)
            return false
        }
    }
}
