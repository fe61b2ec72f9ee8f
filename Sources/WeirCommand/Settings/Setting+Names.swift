extension Setting {
    /// The name of its environment variable: `WEIR_ISS_POSITION_URL`.
    var variable: String {
        Self.prefix + key.uppercased().replacing("-", with: "_").replacing(".", with: "_")
    }

    /// Its flag on the command line: `--iss-position-url`.
    var flag: String { "--" + key.replacing(".", with: "-") }

    /// The prefix of the environment variables.
    static let prefix = "WEIR_"

    /// The setting with that key.
    static func named(_ key: String) -> Setting? { all.first { $0.key == key } }

    /// The setting with that flag.
    static func flagged(_ flag: String) -> Setting? { all.first { $0.flag == flag } }

    /// The name of the setting that a mistyped name resembles most, if any: a key, a flag or a variable.
    static func resembling(_ name: String, among names: (Setting) -> String = \.key) -> String? {
        let ranked = all.map { (name: names($0), distance: distance(name, names($0))) }
            .min { $0.distance < $1.distance }
        // The common prefix does not count.
        let count = name.count - (name.hasPrefix(prefix) ? prefix.count : name.hasPrefix("--") ? 2 : 0)
        return ranked.flatMap { $0.distance <= max(1, count / 3) ? $0.name : nil }
    }

    /// A line for the log for each variable that looks like a setting and is not one.
    static func unknownVariables(in environment: [String: String]) -> [String] {
        let known = Set(all.map(\.variable) + [clientSecretVariable])
        return environment.keys.filter { $0.hasPrefix(prefix) && !known.contains($0) }.sorted().map { name in
            let hint = resembling(name, among: \.variable).map { "did you mean \($0)?" } ?? "`weir settings` lists all."
            return "\(name) is not a setting and has no effect; \(hint)"
        }
    }

    /// The number of letters to add, drop, change or swap with the next to get from one word to the other (the optimal
    /// string alignment of Damerau 1964 and Levenshtein 1965).
    private static func distance(_ left: String, _ right: String) -> Int {
        let (left, right) = (Array(left), Array(right))
        var before: [Int] = []
        var row = Array(0...right.count)
        for i in left.indices {
            var next = [i + 1]
            for j in right.indices {
                // Never traps: a row has one more place than the right word has letters, and `next` has one for each so
                // far.
                var least = min(row[j] + (left[i] == right[j] ? 0 : 1), row[j + 1] + 1, next[j] + 1)
                // Never traps: neither is the first letter.
                if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
                    // Never traps: `before` is a row too, from the second letter on, and this is not the first.
                    least = min(least, before[j - 1] + 1)
                }
                next.append(least)
            }
            (before, row) = (row, next)
        }
        return row[right.count]
    }
}
