import NIOCore

/// The time limits of one connection, as a pure state machine without channel or clock.
///
/// While the connection waits for the server, no limit applies. Four limits apply to its client:
/// - *idle*: no request since the connection opened or since the last answer.
/// - *head*: an incomplete request head.
/// - *body*: a time credit that waiting uses up and each byte restores, so that both silence for `bodyGrace` and a rate below
///   `bodyRate` end the connection. Time counts only while the server reads.
/// - *stall*: the client accepts no written bytes.
struct ConnectionMachine {
    enum Decision: Equatable {
        case fine
        case idle
        case slowHead
        case slowBody
        case stalled
    }

    /// The party that a connection waits for, and since when.
    enum Activity: Equatable, Sendable {
        /// The client's next request.
        case idle(NIODeadline)
        /// A change, for a held poll.
        case held(NIODeadline)
        /// A client that has sent or accepted too little for longer than `patience`.
        case slow(NIODeadline)
        case busy(NIODeadline)
        /// None: the last answer is written and the connection is about to close.
        case leaving
    }

    /// The time after which a client that sends or accepts too little counts as slow.
    static let patience: TimeAmount = .seconds(2)
    /// The read size in bytes while requests may be pipelined, to limit how many are parsed at once.
    static let sliceOfRequests = 1_024
    /// The read size in bytes in a body of unknown length, since requests may follow it.
    static let sliceOfBody = 4_096

    private let limits: ConnectionLimits
    private let grace: Int64
    private let nanosecondsPerByte: Int64
    private(set) var begun = 0
    /// The number of requests that have begun and are not fully answered.
    private(set) var unanswered = 0
    private(set) var isReadingRequest = false
    /// The rest of the current body in bytes, or nil if its length is unknown.
    private(set) var bodyLeft: Int?
    /// The start of the current idle or busy period.
    private var changedAt: NIODeadline
    private var headSince: NIODeadline?
    private var heldSince: NIODeadline?
    /// The time in nanoseconds that the body may still keep the server waiting.
    private var credit: Int64
    /// The start of the current read, or the time up to which `credit` is charged.
    private var readingSince: NIODeadline?
    /// Written bytes that the client has not accepted, as last observed.
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

    mutating func readBegan(now: NIODeadline) {
        if readingSince == nil { readingSince = now }
    }

    mutating func readEnded(now: NIODeadline) {
        charge(now)
        readingSince = nil
    }

    /// Records received bytes; blank ones between requests, such as a stray line end, do not start a head.
    mutating func arrived(_ count: Int, isBlank: Bool, now: NIODeadline) {
        if isReadingRequest {
            charge(now)
            let (restored, isOver) = Int64(count).multipliedReportingOverflow(by: nanosecondsPerByte)
            credit = isOver ? grace : min(grace, credit + min(grace, restored))
        } else if headSince == nil, !isBlank {
            headSince = now
        }
    }

    /// Records a parsed request head; `bodyLength` is nil if the length is unknown.
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

    mutating func bodyArrived(_ count: Int) {
        bodyLeft = bodyLeft.map { max(0, $0 - count) }
    }

    mutating func requestEnded(now: NIODeadline) {
        isReadingRequest = false
        bodyLeft = nil
        if unanswered == 0 { changedAt = now }
    }

    func mayRead(isWritable: Bool) -> Bool { isReadingRequest || (unanswered < limits.pipeline && isWritable) }

    /// The number of bytes to parse before checking `mayRead` again.
    var slice: Int { isReadingRequest ? max(1, bodyLeft ?? Self.sliceOfBody) : Self.sliceOfRequests }

    // MARK: Answering

    mutating func answerEnded(now: NIODeadline) {
        unanswered = max(0, unanswered - 1)
        changedAt = now
    }

    mutating func holdBegan(now: NIODeadline) { heldSince = now }

    mutating func holdEnded() { heldSince = nil }

    var isHolding: Bool { heldSince != nil }

    mutating func wrote(_ count: Int, now: NIODeadline) {
        if unsent == 0 { takenAt = now }
        unsent += count
    }

    /// Updates the number of bytes that the client has not accepted.
    mutating func observed(unsent count: Int, now: NIODeadline) {
        if count < unsent { takenAt = now }
        unsent = count
    }

    // MARK: Time

    mutating func decision(now: NIODeadline) -> Decision {
        charge(now)
        if unsent > 0, now - takenAt >= TimeAmount(limits.stall) { return .stalled }
        if isReadingRequest, credit <= 0 { return .slowBody }
        guard unanswered == 0 else { return .fine }
        if let headSince, !isReadingRequest { return now - headSince >= TimeAmount(limits.head) ? .slowHead : .fine }
        return now - changedAt >= TimeAmount(limits.idle) ? .idle : .fine
    }

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

/// Events between the handlers of one connection.
enum ConnectionEvent: Sendable {
    /// Outbound: a poll is held.
    case holdBegan
    /// Outbound: the held poll is released.
    case holdEnded
    /// Inbound: all connections are in use, and this one should free its place.
    case makeRoom
    /// Inbound: the sender has lost the right to send the body.
    case stopBody
}
