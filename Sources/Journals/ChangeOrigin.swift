/// Where an imported change was first recorded: what pages that name its place need, to look there as they look here.
public struct ChangeOrigin: Sendable, Hashable {
    /// The epoch of the journal that recorded it first.
    public let epoch: String
    /// The place it had there.
    public let sequence: Int64

    /// Names a place in another journal.
    public init(epoch: String, sequence: Int64) {
        self.epoch = epoch
        self.sequence = sequence
    }
}
