import Synchronization

/// How long the database may take for an answer: shorter once the server shuts down.
package final class AnswerTimeout: Sendable {
    /// The timeout after ``hurry()``.
    static let hurried = Duration.seconds(3)

    let usual: Duration
    private let hurriedAt = Mutex<ContinuousClock.Instant?>(nil)

    package init(_ usual: Duration) { self.usual = usual }

    /// Shortens the timeout, also of answers that are awaited already.
    package func hurry() { hurriedAt.withLock { $0 = $0 ?? .now } }

    var isHurried: Bool { hurriedAt.withLock { $0 != nil } }

    /// Until when the answer to a statement that was sent then is awaited.
    func deadline(of sent: ContinuousClock.Instant) -> ContinuousClock.Instant {
        let deadline = sent + usual
        guard let hurriedAt = hurriedAt.withLock({ $0 }) else { return deadline }
        return min(deadline, max(sent, hurriedAt) + Self.hurried)
    }
}
