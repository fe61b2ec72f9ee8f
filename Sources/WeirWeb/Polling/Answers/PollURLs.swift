import WeirJournals
import WeirPages

/// The URLs that answers and pages carry, so that a client never builds one.
struct PollURLs: Sendable {
    let mount: MountPath
    let epoch: String
    /// The label of the audience whose feeds they are; nil for feeds that everybody may follow.
    let audience: String?
    /// The edition of the catalog that pages are made of; nil where no file declares a part of it.
    let edition: String?

    /// The history of a feed as its addresses name it: with the edition where its pages show operations.
    func epoch(of feed: String) -> String {
        guard let edition, let page = LivePage(feedName: feed) else { return epoch }
        switch page.topic {
        case .board, .runs, .operation: return "\(epoch).\(edition)"
        case .run, .output, .store, .stores: return epoch
        }
    }

    /// Held until something follows the sequence or the slot ends.
    func tail(_ feed: String, _ sequence: SequenceNumber, slot: Int64) -> String {
        url(PollRequest(audience: audience, feed: feed, .tail(epoch: epoch(of: feed), sequence: sequence, slot: slot)))
    }

    /// What follows the sequence, at once.
    func now(_ feed: String, _ sequence: SequenceNumber) -> String {
        url(PollRequest(audience: audience, feed: feed, .now(epoch: epoch(of: feed), sequence: sequence)))
    }

    /// The region as it stands.
    func snap(_ feed: String) -> String { url(PollRequest(audience: audience, feed: feed, .snap)) }

    private func url(_ request: PollRequest) -> String { mount.url("live/1/" + request.path) }
}
