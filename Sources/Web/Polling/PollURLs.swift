import Journals

/// The URLs that answers and pages carry, so that a client never builds one.
struct PollURLs: Sendable {
    let mount: MountPath
    let epoch: String
    /// The label of the audience whose feeds they are; nil for feeds that everybody may follow.
    let audience: String?

    /// Held until something follows the sequence or the slot ends.
    func tail(_ feed: String, _ sequence: SequenceNumber, slot: Int64) -> String {
        url(PollRequest(audience: audience, feed: feed, .tail(epoch: epoch, sequence: sequence, slot: slot)))
    }

    /// What follows the sequence, at once.
    func now(_ feed: String, _ sequence: SequenceNumber) -> String {
        url(PollRequest(audience: audience, feed: feed, .now(epoch: epoch, sequence: sequence)))
    }

    /// The region as it stands.
    func snap(_ feed: String) -> String { url(PollRequest(audience: audience, feed: feed, .snap)) }

    private func url(_ request: PollRequest) -> String { mount.url("live/1/" + request.path) }
}
