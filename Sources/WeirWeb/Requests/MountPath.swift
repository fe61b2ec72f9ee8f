/// The path of the dashboard on its server: `/`, or a path such as `/ops`.
struct MountPath: Hashable, Sendable {
    /// The path without a slash at its end: empty for the root.
    let prefix: String

    /// Reads a path, with or without slashes around it.
    init(_ path: String) {
        prefix = path.split(separator: "/").map { "/" + $0 }.joined()
    }

    /// The URL of a path below, which begins without a slash.
    func url(_ path: String) -> String { prefix + "/" + path }

    /// The part after the mount path, without a leading slash; nil for a path outside it.
    func below(_ path: some StringProtocol) -> Substring? {
        guard path.hasPrefix(prefix) else { return nil }
        let rest = path.dropFirst(prefix.count)
        if rest.isEmpty, !prefix.isEmpty { return "" }
        guard rest.first == "/" else { return nil }
        return Substring(rest.dropFirst())
    }

    /// The form for pages: `/` or `/ops`.
    var description: String { prefix.isEmpty ? "/" : prefix }

    /// A path and query below the mount path, as they are; anything else leads to the overview.
    func wayBack(_ path: String) -> String {
        let isPlain = path.utf8.allSatisfy { (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "\\") }
        guard isPlain, !path.hasPrefix("//"), below(path.prefix { $0 != "?" }) != nil else { return url("") }
        return path
    }
}
