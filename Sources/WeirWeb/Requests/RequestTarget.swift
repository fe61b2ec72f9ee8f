import Foundation
import HTTPTypes
import Synchronization
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

/// The checks that precede every other one.
///
/// Both the routes and the channel handlers that respond on the event loop use them, so that all paths are equally protected.
struct RequestCheck: Sendable {
    let hosts: HostCheck
    let actors: ActorCheck

    func problem(with head: HTTPRequest) -> Problem? {
        // `authority` holds the first Host field, so a Host among the fields is a second one.
        guard let authority = head.authority, !authority.isEmpty, head.headerFields[values: .host].isEmpty else {
            return .malformedHost
        }
        guard head.path?.first == "/" else { return .malformedPath }
        guard hosts.allows(authority) else { return .otherHost(authority) }
        return actors.problem(with: head.headerFields)
    }
}

/// The allowed values of `Host`, as protection against DNS rebinding.
///
/// A browser that follows a rebound name sends that name. `localhost` and addresses cannot be rebound, so they pass; every
/// other name must be allowed.
final class HostCheck: Sendable {
    private let allowed: Mutex<Set<String>>
    private let changes = Atomic<Int>(0)

    init(allowed: [String]) { self.allowed = Mutex(Self.set(of: allowed)) }

    /// Incremented with each change of the names, which invalidates earlier decisions.
    var edition: Int { changes.load(ordering: .acquiring) }

    func allow(_ names: [String]) {
        allowed.withLock { $0 = Self.set(of: names) }
        changes.wrappingAdd(1, ordering: .releasing)
    }

    private static func set(of names: [String]) -> Set<String> { Set(names.map { $0.lowercased() }) }

    func allows(_ authority: String) -> Bool {
        let allowed = allowed.withLock { $0 }
        guard !allowed.contains("*") else { return true }
        let host = authority.lowercased()
        guard let name = Self.name(of: host) else { return false }
        return name == "localhost" || name.hasSuffix(".localhost") || Self.isAddress(name)
            || allowed.contains(host) || allowed.contains(name)
    }

    /// Returns the host without its port; nil if it is invalid.
    private static func name(of host: String) -> String? {
        if host.hasPrefix("[") {
            guard let end = host.firstIndex(of: "]"), isPort(host[host.index(after: end)...]) else { return nil }
            return String(host[...end])
        }
        let name = host.prefix { $0 != ":" }
        guard !name.isEmpty, isPort(host[name.endIndex...]) else { return nil }
        return String(name)
    }

    private static func isPort(_ text: Substring) -> Bool {
        text.isEmpty || text.first == ":" && text.count <= 6 && text.dropFirst().utf8.allSatisfy(isDigit)
    }

    /// Whether the name is an IPv4 address, or brackets that can only contain an IPv6 address.
    private static func isAddress(_ name: String) -> Bool {
        if name.hasPrefix("[") {
            let address = name.dropFirst().dropLast()
            return address.contains(":") && address.allSatisfy { $0.isHexDigit || $0 == ":" || $0 == "." }
        }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4
            && parts.allSatisfy { $0.utf8.allSatisfy(isDigit) && UInt8($0) != nil }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}

/// Whether a changing request originates from this dashboard's own pages, or from no page at all.
///
/// Browsers send the origin of a request in `Sec-Fetch-Site` and `Origin`, and both must allow it. A program sends neither
/// and passes, because pages cannot make it send requests. Another port of the same machine is another site, and so is
/// another scheme if the server encrypts connections or a proxy sets `X-Forwarded-Proto`.
enum CrossSiteCheck {
    /// Whether a request may change something.
    ///
    /// `authority` is the server's name in the request. `isEncrypted` is true if the server encrypts the connection itself.
    /// `isByCookie` is true if a cookie may authenticate the request: browsers attach cookies to every request, so such a
    /// request must name its origin, as all current browsers do.
    static func allows(
        _ headers: HTTPFields, authority: String?, isEncrypted: Bool = false, isByCookie: Bool = false
    ) -> Bool {
        let sites = headers[values: .secFetchSite]
        let origins = headers[values: .origin]
        if isByCookie, sites.isEmpty, origins.isEmpty { return false }
        guard sites.count <= 1, origins.count <= 1 else { return false }
        if let site = sites.first, site != "same-origin", site != "none" { return false }
        guard let origin = origins.first else { return true }
        return isOwn(origin, authority: authority, scheme: publicScheme(headers) ?? (isEncrypted ? "https" : nil))
    }

    /// Whether a request relies on credentials that browsers attach: a cookie, without a token.
    ///
    /// Browsers also attach a proxy's passwords and a domain's tickets.
    static func isByCookie(_ headers: HTTPFields) -> Bool {
        guard !headers[values: .cookie].isEmpty else { return false }
        let schemes = headers[values: .authorization].map { $0.prefix { $0 != " " && $0 != "\t" }.lowercased() }
        return schemes.allSatisfy(["basic", "digest", "negotiate", "ntlm"].contains)
    }

    private static func isOwn(_ origin: String, authority: String?, scheme: String?) -> Bool {
        guard let authority, let range = origin.range(of: "://") else { return false }
        let said = origin[..<range.lowerBound].lowercased()
        guard said == "http" || said == "https", scheme == nil || said == scheme else { return false }
        let host = origin[range.upperBound...].lowercased()
        return withoutUsualPort(host, scheme: said) == withoutUsualPort(authority.lowercased(), scheme: said)
    }

    /// The public scheme, if a proxy sets it; the proxy nearest to the browser comes first.
    ///
    /// Pages of other sites cannot set this header, because the CORS preflight fails.
    private static func publicScheme(_ headers: HTTPFields) -> String? {
        headers[.forwardedProto]?.split(separator: ",").first?.trimmingCharacters(in: .whitespaces).lowercased()
    }

    /// Browsers omit the default port, but proxies may not.
    private static func withoutUsualPort(_ host: String, scheme: String) -> String {
        let port = scheme == "https" ? ":443" : ":80"
        return host.hasSuffix(port) ? String(host.dropLast(port.count)) : host
    }
}
