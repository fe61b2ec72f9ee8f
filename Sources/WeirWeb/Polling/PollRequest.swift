import WeirJournals
import WeirPages
import WeirStates

/// A live client's request, parsed from the path below `live/1/`.
///
/// ```
/// {F}/{E}/{N}/{S}   tail: held until something follows N or slot S ends
/// {F}/{E}/{N}/now   catch up: never held
/// {F}/snap          the region of the page: never held
/// ```
/// If a page shows operations declared in files, `E` includes the edition of the catalog: `{E}.{C}`; on pages that list
/// failures, it also identifies the acknowledgements, if any: `{E}.{C}.{K}`, with `C` 0 without files. If the feed is not
/// public, the label of the audience comes first, as `{A}/`: 13 of `a-z 0-9`.
///
/// `F` is 1 to 64 of `a-z 0-9 -`, `E` 1 to 32 of `a-z 0-9`, `N` and `S` decimal without leading zeros. Each request has
/// exactly one spelling, and hence one cache entry; any other path is refused.
struct PollRequest: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case tail(epoch: String, sequence: SequenceNumber, slot: Int64)
        case now(epoch: String, sequence: SequenceNumber)
        case snap
    }

    /// The label of the feed's audience; nil if the feed is public.
    let audience: String?
    let feed: String
    let kind: Kind
    var takesGzip = false

    /// The epoch of the cursor, with what follows it; nil for a snapshot.
    var epoch: String? {
        switch kind {
        case .tail(let epoch, _, _), .now(let epoch, _): epoch
        case .snap: nil
        }
    }

    /// The epoch of the cursor; nil for a snapshot.
    var history: Substring? { epoch?.prefix { $0 != "." } }

    init(audience: String? = nil, feed: String, _ kind: Kind) {
        self.audience = audience
        self.feed = feed
        self.kind = kind
    }

    /// Parses the path below `live/1/`, without a query; returns nil if the spelling is not canonical.
    init?(path: some StringProtocol) {
        guard path.utf8.count <= 176 else { return nil }
        var parts = path.split(separator: "/", omittingEmptySubsequences: false)[...]
        if parts.count == 3 || parts.count == 5, let label = parts.popFirst() {
            guard label.utf8.count == Self.labelLength, Self.isName(label, upTo: Self.labelLength, hyphens: false)
            else {
                return nil
            }
            audience = String(label)
        } else {
            audience = nil
        }
        guard let feed = parts.popFirst(), Self.isName(feed, upTo: 64, hyphens: true) else { return nil }
        self.feed = String(feed)
        let rest = Array(parts)
        if rest.count == 1, rest[0] == "snap" {
            kind = .snap
            return
        }
        guard rest.count == 3, Self.isEpoch(rest[0]), let sequence = SequenceNumber(rest[1])
        else { return nil }
        let epoch = String(rest[0])
        if rest[2] == "now" {
            kind = .now(epoch: epoch, sequence: sequence)
        } else if let slot = Self.number(rest[2]) {
            kind = .tail(epoch: epoch, sequence: sequence, slot: slot)
        } else {
            return nil
        }
    }

    /// The path below `live/1/`.
    var path: String {
        let rest =
            switch kind {
            case .tail(let epoch, let sequence, let slot): "\(feed)/\(epoch)/\(sequence)/\(slot)"
            case .now(let epoch, let sequence): "\(feed)/\(epoch)/\(sequence)/now"
            case .snap: "\(feed)/snap"
            }
        return audience.map { "\($0)/\(rest)" } ?? rest
    }

    private static let labelLength = 13

    var sequence: SequenceNumber {
        switch kind {
        case .tail(_, let sequence, _), .now(_, let sequence): sequence
        case .snap: 0
        }
    }

    /// Whether a text is an epoch, optionally with a catalog edition and the label of acknowledgements.
    private static func isEpoch(_ text: some StringProtocol) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count <= 3 && zip(parts, [32, 16, 16]).allSatisfy { isName($0, upTo: $1, hyphens: false) }
    }

    private static func isName(_ text: some StringProtocol, upTo limit: Int, hyphens: Bool) -> Bool {
        let bytes = text.utf8
        return (1...limit).contains(bytes.count)
            && bytes.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || isDigit(byte)
                    || hyphens && byte == UInt8(ascii: "-")
            }
    }

    private static func number(_ text: some StringProtocol) -> Int64? {
        guard (1...19).contains(text.utf8.count), text.utf8.allSatisfy(isDigit) else { return nil }
        guard text == "0" || text.first != "0" else { return nil }
        return Int64(text)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}

/// The time slots that bound a hold and give it a new URL: 13 s each, with a phase per feed.
///
/// Slot `S` of feed `F` lasts, in milliseconds since 1970, from `13000 S - phase(F)` to `13000 (S + 1) - phase(F)`.
struct PollSlots: Sendable {
    static let length: Int64 = 13_000
    /// The maximum time by which a hold exceeds its slot, in milliseconds; spreads reconnects.
    static let jitter: Int64 = 1_000

    /// The offset of the feed's slots, in milliseconds, so that feeds do not all end at once.
    let phase: Int64

    init(feed: some StringProtocol) {
        phase = Int64(clamping: StableHash(feed.utf8).value % UInt64(clamping: Self.length))
    }

    func slot(at wall: Int64) -> Int64 { (wall + phase) / Self.length }

    /// Returns the remaining time of the slot, in milliseconds, from 1 to 13,000.
    func rest(at wall: Int64) -> Int64 { Self.length - (wall + phase) % Self.length }
}

/// The URLs in answers and pages; clients never build URLs.
struct PollURLs: Sendable {
    let mount: MountPath
    let epoch: String
    /// The label of the feeds' audience; nil if they are public.
    let audience: String?
    /// The edition of the rendered catalog; nil if files declare no part of it.
    let edition: String?
    /// Identifies what pages list as needing a person beside the runs; nil for nothing.
    var attention: @Sendable () -> String? = { nil }

    /// Returns the epoch in the feed's URLs, with the edition if its pages show operations.
    func epoch(of feed: String) -> String {
        guard let page = LivePage(feedName: feed) else { return epoch }
        let known = edition.map { "\(epoch).\($0)" } ?? epoch
        switch page.topic {
        case .board, .wall: return attention().map { "\(epoch).\(edition ?? "0").\($0)" } ?? known
        case .runs, .operation: return known
        case .run, .output, .store, .stores: return epoch
        }
    }

    /// `epoch` is that of a request whose page is still the same; nil for the current one.
    func tail(_ feed: String, _ sequence: SequenceNumber, slot: Int64, epoch: String? = nil) -> String {
        let epoch = epoch ?? self.epoch(of: feed)
        return url(PollRequest(audience: audience, feed: feed, .tail(epoch: epoch, sequence: sequence, slot: slot)))
    }

    /// The URL that returns the changes after `sequence` at once.
    func now(_ feed: String, _ sequence: SequenceNumber, epoch: String? = nil) -> String {
        let epoch = epoch ?? self.epoch(of: feed)
        return url(PollRequest(audience: audience, feed: feed, .now(epoch: epoch, sequence: sequence)))
    }

    func snap(_ feed: String) -> String { url(PollRequest(audience: audience, feed: feed, .snap)) }

    private func url(_ request: PollRequest) -> String { mount.url("live/1/" + request.path) }
}
