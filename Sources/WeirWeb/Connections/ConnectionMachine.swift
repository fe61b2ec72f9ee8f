import NIOCore

/// What one connection does with its time, and whether that is within the limits: the rules, with no channel and no clock.
///
/// A connection that waits for the server has no limit. One for whose client the server waits has four:
/// - *idle*: nothing has come since it was opened or since the last answer;
/// - *head*: the head of a request has begun and does not end;
/// - *body*: a credit of time that the waiting uses up and that each byte restores, so that silence ends it after
///   `bodyGrace`, and so does a trickle slower than `bodyRate`. While the server does not read, no time passes;
/// - *stall*: bytes are written, and the client takes none of them.
struct ConnectionMachine {
    /// Whether a connection may continue.
    enum Decision: Equatable {
        case fine
        /// No request has come.
        case idle
        /// A head takes too long.
        case slowHead
        /// A body comes too slowly.
        case slowBody
        /// The client takes nothing of what is written.
        case stalled
    }

    /// Whom a connection waits for, and since when.
    enum Activity: Equatable, Sendable {
        /// The client, to ask something.
        case idle(NIODeadline)
        /// A change: a poll is held.
        case held(NIODeadline)
        /// The client, to send or to take something that it has been slow at for a while.
        case slow(NIODeadline)
        /// The server.
        case busy(NIODeadline)
        /// Nobody: it was answered for the last time, and is about to end.
        case leaving
    }

    /// From when on a client that sends or takes too little counts as slow.
    static let patience: TimeAmount = .seconds(2)
    /// How many bytes are read at a time where requests may follow each other, so that not many are read at once.
    static let sliceOfRequests = 1_024
    /// How many bytes are read at a time of a body of unknown length, behind which requests may follow.
    static let sliceOfBody = 4_096

    private let limits: ConnectionLimits
    private let grace: Int64
    private let nanosecondsPerByte: Int64
    /// How many requests have begun.
    private(set) var begun = 0
    /// Requests that have begun and are not wholly answered.
    private(set) var unanswered = 0
    /// Whether a request has begun that is not read wholly.
    private(set) var isReadingRequest = false
    /// What is still to come of the body that is read; nil where its length was not announced.
    private(set) var bodyLeft: Int?
    /// Since when there is nothing to answer and nothing to read but a next request, or when the work began.
    private var changedAt: NIODeadline
    private var headSince: NIODeadline?
    private var heldSince: NIODeadline?
    /// For how many nanoseconds the body may still keep the server waiting.
    private var credit: Int64
    /// Since when a read has been waiting for the client; counted off the credit up to here.
    private var readingSince: NIODeadline?
    /// Bytes that are written and that the client has not taken, as far as is known.
    private(set) var unsent = 0
    private var takenAt: NIODeadline

    init(limits: ConnectionLimits, now: NIODeadline) {
        self.limits = limits
        grace = TimeAmount(limits.bodyGrace).nanoseconds
        nanosecondsPerByte = 1_000_000_000 / Int64(max(1, limits.bodyRate))
        changedAt = now
        credit = grace
        takenAt = now
    }

    // MARK: Reading

    /// A read begins to wait for the client.
    mutating func readBegan(now: NIODeadline) {
        if readingSince == nil { readingSince = now }
    }

    /// The read is over.
    mutating func readEnded(now: NIODeadline) {
        charge(now)
        readingSince = nil
    }

    /// Bytes came; blank ones between requests, such as a stray line end, begin no head.
    mutating func arrived(_ count: Int, isBlank: Bool, now: NIODeadline) {
        if isReadingRequest {
            charge(now)
            let (restored, isOver) = Int64(count).multipliedReportingOverflow(by: nanosecondsPerByte)
            credit = isOver ? grace : min(grace, credit + min(grace, restored))
        } else if headSince == nil, !isBlank {
            headSince = now
        }
    }

    /// The head of a request is read; `bodyLength` is nil if the length is not announced.
    mutating func requestBegan(bodyLength: Int?, now: NIODeadline) {
        if unanswered == 0 { changedAt = now }
        begun &+= 1
        unanswered += 1
        isReadingRequest = true
        bodyLeft = bodyLength
        headSince = nil
        credit = grace
        if readingSince != nil { readingSince = now }
    }

    /// A piece of the body is read.
    mutating func bodyArrived(_ count: Int) {
        bodyLeft = bodyLeft.map { max(0, $0 - count) }
    }

    /// The request is read wholly.
    mutating func requestEnded(now: NIODeadline) {
        isReadingRequest = false
        bodyLeft = nil
        if unanswered == 0 { changedAt = now }
    }

    /// Whether bytes that came may be read as requests.
    func mayRead(isWritable: Bool) -> Bool { isReadingRequest || (unanswered < limits.pipeline && isWritable) }

    /// How many bytes to read as requests before looking again whether more may be.
    var slice: Int { isReadingRequest ? max(1, bodyLeft ?? Self.sliceOfBody) : Self.sliceOfRequests }

    // MARK: Answering

    /// An answer is written wholly.
    mutating func answerEnded(now: NIODeadline) {
        unanswered = max(0, unanswered - 1)
        changedAt = now
    }

    /// A poll is held.
    mutating func holdBegan(now: NIODeadline) { heldSince = now }

    /// The held poll is released.
    mutating func holdEnded() { heldSince = nil }

    /// Whether a poll is held.
    var isHolding: Bool { heldSince != nil }

    /// Bytes are written.
    mutating func wrote(_ count: Int, now: NIODeadline) {
        if unsent == 0 { takenAt = now }
        unsent += count
    }

    /// So many bytes that were written have not been taken.
    mutating func observed(unsent count: Int, now: NIODeadline) {
        if count < unsent { takenAt = now }
        unsent = count
    }

    // MARK: Time

    /// Whether the connection may continue.
    mutating func decision(now: NIODeadline) -> Decision {
        charge(now)
        if unsent > 0, now - takenAt >= TimeAmount(limits.stall) { return .stalled }
        if isReadingRequest, credit <= 0 { return .slowBody }
        guard unanswered == 0 else { return .fine }
        if let headSince, !isReadingRequest { return now - headSince >= TimeAmount(limits.head) ? .slowHead : .fine }
        return now - changedAt >= TimeAmount(limits.idle) ? .idle : .fine
    }

    /// Whom the connection waits for.
    mutating func activity(now: NIODeadline) -> Activity {
        charge(now)
        if unsent > 0, now - takenAt >= Self.patience { return .slow(takenAt) }
        if isReadingRequest, grace - credit >= Self.patience.nanoseconds {
            return .slow(now - .nanoseconds(grace - credit))
        }
        if unanswered == 0, !isReadingRequest { return .idle(changedAt) }
        return heldSince.map(Activity.held) ?? .busy(changedAt)
    }

    private mutating func charge(_ now: NIODeadline) {
        guard let since = readingSince, since < now else { return }
        if isReadingRequest { credit = max(0, credit - (now - since).nanoseconds) }
        readingSince = now
    }
}

/// What the handlers of one connection say to each other.
enum ConnectionEvent: Sendable {
    /// A poll is held; goes out.
    case holdBegan
    /// No poll is held any more; goes out.
    case holdEnded
    /// All connections are taken and this one should make room, in its own way; comes in.
    case makeRoom
    /// Whoever sends the body has no right to it any more; comes in.
    case stopBody
}
