import NIOCore

/// The answer to a poll, ready to be written: its bytes and what a cache may do with them.
struct PollAnswer: Sendable {
    /// What a cache may do with an answer.
    enum Caching: String, Sendable {
        /// Kept longer than a hold lasts, because caches count the wait into the age.
        case hold = "public, max-age=20"
        case foreignEpoch = "public, max-age=5"
        case brief = "public, max-age=1"
        case revalidate = "no-cache"
        case never = "no-store"
    }

    let body: ByteBuffer
    let caching: Caching
    /// Whether the connection ends with this answer.
    let closes: Bool

    init(body: ByteBuffer, caching: Caching, closes: Bool = false) {
        self.body = body
        self.caching = caching
        self.closes = closes
    }
}
