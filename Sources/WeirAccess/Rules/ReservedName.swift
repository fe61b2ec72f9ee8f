/// Names that the server records for principals other than people, which no person, user or program can choose.
///
/// A principal that is not a person has a name that states its kind: `token NAME by MAKER`, `link ID`, `hook ID`, `schedule`.
package enum ReservedName {
    /// The names of parts of the server.
    private static let whole: Set<String> = [
        "schedule", "system", "viewer", "anonymous", "operator", "unknown", "api", "weir", "token", "link", "hook",
    ]
    /// The first words of names with a kind.
    private static let kinds: Set<String> = ["token", "link", "hook"]

    /// Returns whether a name denotes another kind of principal than a person; ignores case and spaces around it.
    package static func isReserved(_ name: String) -> Bool {
        let words = name.lowercased().split { $0.isWhitespace }
        guard let first = words.first.map(String.init) else { return false }
        return words.count == 1 ? whole.contains(first) : kinds.contains(first)
    }

    /// Returns whether a token name is refused: it begins with a kind of principal, or is the actor of schedules, of the server or of
    /// the command line.
    static func isReserved(forToken name: String) -> Bool {
        let words = name.lowercased().split { $0.isWhitespace }.map(String.init)
        return words.count == 1 ? ["root", "schedule", "system"].contains(words[0]) : isReserved(name)
    }

    /// The name of a person as a trusted source sends it; a reserved name gets the prefix `person`.
    package static func person(_ name: String) -> String { isReserved(name) ? "person \(name)" : name }

    /// The name of a token's principal, of at most 100 characters.
    static func token(_ name: String, by maker: String?) -> String {
        guard let maker else { return "token \(shortened(name, to: 90))" }
        return "token \(shortened(name, to: 50)) by \(shortened(maker, to: 39))"
    }

    private static func shortened(_ text: String, to limit: Int) -> String {
        text.count <= limit ? text : text.prefix(limit - 1) + "…"
    }
}
