import HTTPTypes

extension Problem {
    init(_ mistake: StreamRequest.Mistake) { self = .malformedQuery(mistake.field, mistake.detail) }

    /// A reader's place is of no use; `first` is from where on the stream is kept.
    static func lost(_ loss: StreamStatus.Loss, first: String) -> Problem {
        let (kind, title, detail) =
            switch loss {
            case .removed:
                (
                    "removed-offset", "Removed offset",
                    "Not everything that follows this offset is kept any more. What is kept begins at Stream-First-Offset; "
                        + "what lies between is gone."
                )
            case .replaced:
                (
                    "replaced-history", "Replaced history",
                    "This offset belongs to another history than the server's. Begin again at Stream-First-Offset, with "
                        + "nothing of what was read before."
                )
            case .otherPart:
                (
                    "other-audience", "Other audience",
                    "What you may see is not what it was when this offset was given, so changes before it may be missing in "
                        + "what was read. Begin again at Stream-First-Offset, with nothing of what was read before."
                )
            case .future:
                (
                    "future-offset", "Future offset",
                    "This offset lies beyond the end of the stream, which must have been restored from a copy. Begin again "
                        + "at Stream-First-Offset."
                )
            }
        return Problem(kind, .gone, title, detail, headers: [.streamFirstOffset: first])
    }

    /// As many requests are held as may be.
    static let crowdedStreams = Problem(
        "overloaded", .serviceUnavailable, "Overloaded",
        "As many requests are waiting for news as may wait at once. Read without “live”, or try again in a while.",
        headers: [.retryAfter: "5"])
}
