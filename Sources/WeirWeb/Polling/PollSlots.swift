/// The slots that bound a hold and make every URL new: 13 s each, with a phase of its own for every feed.
///
/// Slot `S` of feed `F` lasts, in milliseconds since 1970, from `13000 S - phase(F)` to `13000 (S + 1) - phase(F)`.
struct PollSlots: Sendable {
    /// The length of a slot in milliseconds.
    static let length: Int64 = 13_000
    /// The most by which a hold outlasts its slot, in milliseconds, so that not everybody comes back in one moment.
    static let jitter: Int64 = 1_000

    /// How far the feed's slots are shifted, so that not all feeds end in one moment.
    let phase: Int64

    init(feed: some StringProtocol) {
        // FNV-1a, 64 bits: the same on every machine and in every process, which Swift's own hash is not.
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in feed.utf8 { hash = (hash ^ UInt64(truncatingIfNeeded: byte)) &* 0x100_0000_01b3 }
        phase = Int64(clamping: hash % UInt64(clamping: Self.length))
    }

    /// The slot of a moment.
    func slot(at wall: Int64) -> Int64 { (wall + phase) / Self.length }

    /// How long the slot of a moment still lasts, in milliseconds: from 1 to 13,000.
    func rest(at wall: Int64) -> Int64 { Self.length - (wall + phase) % Self.length }
}
