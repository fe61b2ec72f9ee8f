import WeirJournals

/// A request of a stream's reader: where to start, and whether to wait.
struct StreamRequest: Hashable, Sendable {
    enum Start: Hashable, Sendable {
        /// The first message that is kept.
        case beginning
        case now
        case after(StreamOffset)
    }

    enum Mode: Hashable, Sendable {
        case catchUp
        case longPoll
        case events
    }

    struct Mistake: Error, Hashable {
        let field: String
        let detail: String
    }

    let name: StreamName
    let start: Start
    let mode: Mode
    let cursor: StreamCursor?

    init(_ name: StreamName, start: Start, mode: Mode = .catchUp, cursor: StreamCursor? = nil) {
        self.name = name
        self.start = start
        self.mode = mode
        self.cursor = cursor
    }

    /// Parses the query; ignores unknown parameters, for compatibility with later versions of the protocol.
    init(_ name: StreamName, query: FormFields) throws(Mistake) {
        self.name = name
        mode =
            switch try Self.single("live", query) {
            case nil: .catchUp
            case "long-poll": .longPoll
            case "sse": .events
            default:
                throw Mistake(
                    field: "live", detail: "must be “long-poll” or “sse”; leave it out to read what there is.")
            }
        if mode == .events, name.isText {
            throw Mistake(
                field: "live",
                detail:
                    "cannot be “sse” here: a line may have any character, and some would be taken for the end of an "
                    + "event. Use “long-poll”, or the stream of the lines as JSON.")
        }
        let offset = try Self.single("offset", query)
        if offset == nil, mode != .catchUp {
            throw Mistake(
                field: "offset", detail: "must be sent with “live”: the Stream-Next-Offset of an answer, “-1” or “now”."
            )
        }
        start = try Self.start(offset)
        cursor = try Self.single("cursor", query).map { text throws(Mistake) in
            guard let cursor = StreamCursor(text) else {
                throw Mistake(field: "cursor", detail: "must be the Stream-Cursor of an answer; leave it out to begin.")
            }
            return cursor
        }
    }

    private static func start(_ offset: String?) throws(Mistake) -> Start {
        switch offset {
        case nil, "-1": return .beginning
        case "now": return .now
        case let text?:
            guard let offset = StreamOffset(text), offset.line == nil else { throw .malformedOffset }
            return .after(offset)
        }
    }

    /// Returns the value of a parameter that may occur once; nil if absent.
    static func single(_ name: String, _ query: FormFields) throws(Mistake) -> String? {
        let values = query.fields.filter { $0.name == name }
        guard values.count <= 1 else { throw Mistake(field: name, detail: "must be sent once.") }
        return values.first?.value
    }
}

extension StreamRequest.Mistake {
    static let malformedOffset = StreamRequest.Mistake(
        field: "offset", detail: "must be the Stream-Next-Offset of an answer, “-1” for the beginning, or “now”.")
}

/// A readable stream: a feed as JSON, with one message per change or line, or a run's output as text.
enum StreamName: Hashable, Sendable {
    /// The changes of a feed, or the lines of an output.
    case feed(Topic)
    /// A run's output as printed.
    case text(run: String)

    init?(feed: String, isText: Bool) {
        switch (Topic(feed), isText) {
        case (.output(let run), true): self = .text(run: run)
        case (let topic?, false): self = .feed(topic)
        default: return nil
        }
    }

    var topic: Topic {
        switch self {
        case .feed(let topic): topic
        case .text(let run): .output(run)
        }
    }

    var output: String? {
        if case .output(let run) = topic { run } else { nil }
    }

    var isText: Bool {
        if case .text = self { true } else { false }
    }

    var contentType: String { isText ? "text/plain; charset=utf-8" : "application/json" }
}

/// The state of a stream at one moment, and the decision how to answer a reader.
struct StreamStatus: Hashable, Sendable {
    /// The sequence of the last change, or the number of the last line.
    var head: SequenceNumber
    /// The sequence of the last removed change; 0 if none is.
    var floor: SequenceNumber
    var isClosed: Bool

    enum Loss: Hashable, Sendable {
        /// Messages after the position were removed.
        case removed
        /// The position belongs to another history.
        case replaced
        /// The position belongs to another visible part of the board.
        case otherPart
        /// The position is beyond the end of the stream, so the journal must have been restored.
        case future
    }

    enum Decision: Hashable, Sendable {
        /// The messages after a position.
        case read(after: SequenceNumber)
        case nothing(at: SequenceNumber)
        /// No messages will ever follow.
        case end(at: SequenceNumber)
        case lost(Loss)
    }

    /// Decides how to answer a reader, given the start position and the visible part of the board.
    func decision(
        _ start: StreamRequest.Start, in history: StreamOffset.History, part: String? = nil
    ) -> Decision {
        let sequence: SequenceNumber
        switch start {
        case .beginning: sequence = min(floor, head)
        case .now: sequence = head
        case .after(let offset):
            if offset.history != history { return .lost(.replaced) }
            if offset.part != part { return .lost(.otherPart) }
            if offset.sequence > head { return .lost(.future) }
            if offset.sequence < floor { return .lost(.removed) }
            sequence = offset.sequence
        }
        if sequence < head { return .read(after: sequence) }
        return isClosed ? .end(at: sequence) : .nothing(at: sequence)
    }
}
