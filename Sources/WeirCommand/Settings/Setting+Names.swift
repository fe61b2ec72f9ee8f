import WeirStates

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
        // The common prefix does not count.
        NearestName.of(
            name, among: all.map(names), ignoring: name.hasPrefix(prefix) ? prefix.count : name.hasPrefix("--") ? 2 : 0)
    }

    /// A line for the log for each variable that looks like a setting and is not one.
    static func unknownVariables(in environment: [String: String]) -> [String] {
        let others = ["WEIR_SERVER", "WEIR_TOKEN", "WEIR_CA_FILE", clientSecretVariable]
        let known = Set(all.map(\.variable)).union(others)
        return environment.keys.filter { $0.hasPrefix(prefix) && !known.contains($0) }.sorted().map { name in
            let hint = resembling(name, among: \.variable).map { "did you mean \($0)?" } ?? "`weir settings` lists all."
            return "\(name) is not a setting and has no effect; \(hint)"
        }
    }
}
