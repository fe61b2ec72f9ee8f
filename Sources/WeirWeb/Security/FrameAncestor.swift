/// A site that may show a part of this one in a frame, as the policy of a page names it: `https://wiki.example.com`.
package struct FrameAncestor: Hashable, Sendable {
    /// The origin, in lower case.
    package let origin: String

    // Unsafe: a pattern made of characters alone has no state of its own; it is compiled once, as it is used first.
    private nonisolated(unsafe) static let form = /https?:\/\/(\*\.)?([a-z0-9.\-]+)(?::([0-9]{1,5}))?/

    /// Reads an origin: `http` or `https`, a host, which may begin with `*.` for all names below it, and a port if it is not
    /// the usual one; nil for anything else, so that nothing else can come into the policy.
    package init?(_ text: String) {
        let text = text.lowercased()
        guard text.utf8.count <= 300, let match = text.wholeMatch(of: Self.form) else { return nil }
        let labels = match.2.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.allSatisfy({ (1...63).contains($0.utf8.count) && $0.first != "-" && $0.last != "-" }) else {
            return nil
        }
        if let port = match.3, !(1...65_535).contains(Int(port) ?? 0) { return nil }
        origin = text
    }
}
