/// How far a stream has been read, and what to ask next (sections 5.6 and 5.7 of the Durable Streams protocol).
///
/// Pure. It only moves on with an answer that arrived whole, so that what is read after a failure neither skips nor repeats.
package struct StreamPlace: Sendable, Hashable {
    /// The offset of what comes next; `-1` for the beginning.
    package private(set) var offset = "-1"
    /// What the last answer asks to be sent back, so that caches see a new address for each wait.
    private(set) var cursor: String?
    /// Whether all there was at the time of the last answer is read.
    package private(set) var isUpToDate = false
    /// Whether nothing can follow.
    package private(set) var isClosed = false

    package init() {}

    /// The query of the next request.
    func query(live: Bool) -> [(name: String, value: String)] {
        var fields = [(name: "offset", value: offset)]
        if live {
            fields.append((name: "live", value: "long-poll"))
            if let cursor { fields.append((name: "cursor", value: cursor)) }
        }
        return fields
    }

    /// Moves on by the header fields of an answer.
    mutating func advance(_ header: (String) -> String?) {
        if let next = header("Stream-Next-Offset") { offset = next }
        cursor = header("Stream-Cursor") ?? cursor
        isUpToDate = header("Stream-Up-To-Date") == "true"
        isClosed = header("Stream-Closed") == "true"
    }
}
