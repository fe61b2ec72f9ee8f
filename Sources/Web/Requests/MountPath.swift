/// Where the dashboard stands in the paths of its server: `/`, or a path such as `/ops`.
struct MountPath: Hashable, Sendable {
    /// The path without a slash at its end: empty for the root.
    let prefix: String

    /// Reads a path, with or without slashes around it.
    init(_ path: String) {
        prefix = path.split(separator: "/").map { "/" + $0 }.joined()
    }

    /// The URL of a path below, which begins without a slash.
    func url(_ path: String) -> String { prefix + "/" + path }

    /// What stands behind the mount path, beginning without a slash; nil for a path outside.
    func below(_ path: some StringProtocol) -> Substring? {
        guard path.hasPrefix(prefix) else { return nil }
        let rest = path.dropFirst(prefix.count)
        if rest.isEmpty, !prefix.isEmpty { return "" }
        guard rest.first == "/" else { return nil }
        return Substring(rest.dropFirst())
    }

    /// As pages are told it: `/` or `/ops`.
    var description: String { prefix.isEmpty ? "/" : prefix }
}
