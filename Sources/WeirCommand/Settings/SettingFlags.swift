import ArgumentParser

/// The flags of a command that takes every setting, one flag for each row of the table `Setting.all`.
///
/// The parser knows only `--config` and passes on everything else unchanged.
struct SettingFlags: ParsableArguments {
    @Option(help: "A settings file in YAML; without it ./weir.yml, if there is one.") var config: String?
    @Argument(parsing: .allUnrecognized, help: .hidden) var words: [String] = []

    /// The text about flags in a command's help.
    static let help: String = {
        let lines = Setting.all.map { setting in
            let standard = setting.standard.map { " (default: \($0))" } ?? ""
            return "  \(setting.flag) <value>\n      \(setting.help)\(standard)"
        }
        return """
            A flag counts before the environment (WEIR_PORT), the environment before the file, the file before the \
            default. A flag's value follows it, or is joined to it: --port 9000, --port=9000.

            SETTINGS:
            \(lines.joined(separator: "\n"))
            """
    }()

    /// The sources of the settings of a command with these flags.
    func sources(environment: [String: String]) -> SettingSources {
        SettingSources(flags: FlagTexts(words), config: config, environment: environment)
    }
}
