import WeirJournals

/// A stream that can be read: a feed as JSON, one message a change or line, or what a run prints as a text.
enum StreamName: Hashable, Sendable {
    /// The changes of a feed, or the lines of an output.
    case feed(Topic)
    /// What a run prints, as it was printed.
    case text(run: String)

    /// Reads the part of the path behind `streams/`; nil for anything else.
    init?(feed: String, isText: Bool) {
        switch (Topic(feed), isText) {
        case (.output(let run), true): self = .text(run: run)
        case (let topic?, false): self = .feed(topic)
        default: return nil
        }
    }

    /// What is waited for.
    var topic: Topic {
        switch self {
        case .feed(let topic): topic
        case .text(let run): .output(run)
        }
    }

    /// The run whose output it is, if it is one.
    var output: String? {
        if case .output(let run) = topic { run } else { nil }
    }

    var isText: Bool {
        if case .text = self { true } else { false }
    }

    /// The stream's media type, which is always the same.
    var contentType: String { isText ? "text/plain; charset=utf-8" : "application/json" }
}
