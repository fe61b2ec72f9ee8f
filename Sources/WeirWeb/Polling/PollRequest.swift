import WeirJournals

/// What a live client asks for, as the path behind `live/1/` says it.
///
/// ```
/// {F}/{E}/{N}/{S}   tail: held until something follows N or slot S ends
/// {F}/{E}/{N}/now   catch up: never held
/// {F}/snap          the region of the page: never held
/// ```
/// Where a page shows operations that files declare, `E` has the edition of the catalog behind it: `{E}.{C}`.
/// Before it stands the label of an audience, as `{A}/`, where not everybody may follow the feed: 13 of `a-z 0-9`.
///
/// `F` is 1 to 64 of `a-z 0-9 -`, `E` 1 to 32 of `a-z 0-9`, `N` and `S` decimal without leading zeros. There is one
/// spelling of each request, so that a cache has one entry for it; anything else is refused.
struct PollRequest: Hashable, Sendable {
    /// How a request is to be answered.
    enum Kind: Hashable, Sendable {
        /// Held until something follows the sequence or the slot ends.
        case tail(epoch: String, sequence: SequenceNumber, slot: Int64)
        /// What follows the sequence, at once.
        case now(epoch: String, sequence: SequenceNumber)
        /// The region as it stands.
        case snap
    }

    /// The label of the audience whose feed it is; nil for a feed that everybody may follow.
    let audience: String?
    /// The name of the feed.
    let feed: String
    let kind: Kind
    /// Whether the client takes a compressed answer.
    var takesGzip = false

    /// The history that a cursor belongs to; nil where there is no cursor.
    var history: Substring? {
        switch kind {
        case .tail(let epoch, _, _), .now(let epoch, _): epoch.prefix { $0 != "." }
        case .snap: nil
        }
    }

    init(audience: String? = nil, feed: String, _ kind: Kind) {
        self.audience = audience
        self.feed = feed
        self.kind = kind
    }

    /// Reads the path behind `live/1/`, without a query; nil for anything not spelled as above.
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

    /// The path behind `live/1/`.
    var path: String {
        let rest =
            switch kind {
            case .tail(let epoch, let sequence, let slot): "\(feed)/\(epoch)/\(sequence)/\(slot)"
            case .now(let epoch, let sequence): "\(feed)/\(epoch)/\(sequence)/now"
            case .snap: "\(feed)/snap"
            }
        return audience.map { "\($0)/\(rest)" } ?? rest
    }

    /// How long the label of an audience is.
    private static let labelLength = 13

    /// The sequence of the cursor; 0 for a snapshot.
    var sequence: SequenceNumber {
        switch kind {
        case .tail(_, let sequence, _), .now(_, let sequence): sequence
        case .snap: 0
        }
    }

    /// Whether a text is an epoch, or one with the edition of a catalog.
    private static func isEpoch(_ text: some StringProtocol) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count <= 2 && zip(parts, [32, 16]).allSatisfy { isName($0, upTo: $1, hyphens: false) }
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
