import WeirJournals

/// What a reader of a stream asks for: from where on, and whether to wait.
struct StreamRequest: Hashable, Sendable {
    /// From where on.
    enum Start: Hashable, Sendable {
        /// From the first that is kept.
        case beginning
        /// From what comes next.
        case now
        /// From what follows a place.
        case after(StreamOffset)
    }

    /// How to answer.
    enum Mode: Hashable, Sendable {
        /// At once.
        case catchUp
        /// When there is something, or after a while.
        case longPoll
        /// As server-sent events.
        case events
    }

    /// What is wrong with a query.
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

    /// Reads the query; parameters that are not known are passed over, as the protocol may have more one day.
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

    /// The one value of a parameter; nil where it is not sent.
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
