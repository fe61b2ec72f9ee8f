import WeirJournals
import WeirPages
import WeirStates

/// The parsed path and query of a request below the mount path.
///
/// Each segment is decoded once. The path is malformed if a segment is empty, `.` or `..`, is not UTF-8, or encodes a slash,
/// a backslash or a control character.
struct RequestTarget: Sendable, Hashable {
    /// The path and query as sent, including the mount path.
    let text: String
    /// The decoded segments below the mount path.
    let segments: [String]
    let query: FormFields
    /// Whether the path ended in slashes; `segments` omits them.
    let hasTrailingSlash: Bool

    enum Mistake: Error { case outside, malformed }

    init(_ text: String, mount: MountPath) throws(Mistake) {
        self.text = text
        let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard let path = parts.first, let below = mount.below(path) else { throw .outside }
        var raw = below.isEmpty ? [] : below.split(separator: "/", omittingEmptySubsequences: false)
        hasTrailingSlash = raw.last?.isEmpty ?? false
        while raw.last?.isEmpty ?? false { raw.removeLast() }
        var segments: [String] = []
        for segment in raw {
            guard let decoded = PercentEncoding.decode(segment), Self.isPlain(decoded) else { throw .malformed }
            segments.append(decoded)
        }
        self.segments = segments
        guard let query = FormFields(parts.count > 1 ? parts[1] : "") else { throw .malformed }
        self.query = query
    }

    /// The path and query as sent, without the slashes at the end of the path; `/` if nothing else is left.
    var withoutTrailingSlash: String {
        let path = text.prefix { $0 != "?" }
        let kept = path.reversed().drop { $0 == "/" }.reversed()
        return (kept.isEmpty ? "/" : String(kept)) + text[path.endIndex...]
    }

    private static func isPlain(_ segment: String) -> Bool {
        !segment.isEmpty && segment != "." && segment != ".."
            && segment.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7f && $0 != "/" && $0 != "\\" }
    }
}

/// The path of the dashboard on its server: `/`, or a path such as `/ops`.
struct MountPath: Hashable, Sendable {
    /// The path without a trailing slash; empty for the root.
    let prefix: String

    /// Parses a path, with or without surrounding slashes.
    init(_ path: String) {
        prefix = path.split(separator: "/").map { "/" + $0 }.joined()
    }

    /// Returns the URL of a path below the mount, given without a leading slash.
    func url(_ path: String) -> String { prefix + "/" + path }

    /// Returns the part after the mount path, without a leading slash; nil outside the mount.
    func below(_ path: some StringProtocol) -> Substring? {
        guard path.hasPrefix(prefix) else { return nil }
        let rest = path.dropFirst(prefix.count)
        if rest.isEmpty, !prefix.isEmpty { return "" }
        guard rest.first == "/" else { return nil }
        return Substring(rest.dropFirst())
    }

    /// The mount path with at least a slash: `/` or `/ops`.
    var description: String { prefix.isEmpty ? "/" : prefix }

    /// Returns `path` unchanged if it lies below the mount path; otherwise the URL of the overview.
    func wayBack(_ path: String) -> String {
        let isPlain = path.utf8.allSatisfy { (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "\\") }
        guard isPlain, !path.hasPrefix("//"), below(path.prefix { $0 != "?" }) != nil else { return url("") }
        return path
    }
}

enum PageName: Hashable, Sendable {
    case overview
    case runs
    case operation(String)
    case run(String)
    case stores
    case store(String)
    case wall

    init(_ topic: PageTopic) {
        switch topic {
        case .board: self = .overview
        case .runs: self = .runs
        case .operation(let id): self = .operation(id)
        case .run(let id), .output(let id): self = .run(id)
        case .stores: self = .stores
        case .store(let id): self = .store(id)
        case .wall: self = .wall
        }
    }

    var path: String {
        switch self {
        case .overview: ""
        case .runs: "runs"
        case .operation(let id): "operations/" + id
        case .run(let id): "runs/" + id
        case .stores: "stores"
        case .store(let id): "stores/" + id
        case .wall: "wall"
        }
    }

    var topic: PageTopic {
        switch self {
        case .overview: .board
        case .runs: .runs
        case .operation(let id): .operation(id)
        case .run(let id): .run(id)
        case .stores: .stores
        case .store(let id): .store(id)
        case .wall: .wall
        }
    }
}

/// A position in a feed, as URLs and answers write it: `E.N`, the journal's epoch and a sequence.
///
/// On the feed of the whole board, readers with partial access use `E.N.A`, which is valid only for readers with the same
/// access.
struct FeedCursor: Hashable, Sendable, CustomStringConvertible {
    let epoch: String
    let sequence: SequenceNumber
    /// The label of the readable part of the board; nil for the whole board, and on other feeds.
    let part: String?

    init(epoch: String, sequence: SequenceNumber, part: String? = nil) {
        self.epoch = epoch
        self.sequence = sequence
        self.part = part
    }

    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2 || parts.count == 3, (1...32).contains(parts[0].utf8.count),
            parts[0].allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }),
            let sequence = SequenceNumber(parts[1]), parts.dropFirst(2).allSatisfy(Self.isLabel)
        else { return nil }
        part = parts.dropFirst(2).first.map(String.init)
        epoch = String(parts[0])
        self.sequence = sequence
    }

    var description: String { "\(epoch).\(sequence)" + (part.map { ".\($0)" } ?? "") }

    private static func isLabel(_ text: Substring) -> Bool {
        text.utf8.count == 13 && text.allSatisfy { $0.isASCII && ($0.isLowercase || $0.isNumber) }
    }
}
