import ArgumentParser

/// `weir settings`: lists every setting, with its names and its default.
struct ListSettings: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "settings", abstract: "Lists every setting, its flag, its environment variable and its default.")

    @Flag(help: "Write the page Documentation/settings.md.") var markdown = false

    func run() {
        if markdown { return print(SettingsDocument.text, terminator: "") }
        for setting in Setting.all {
            print(
                """
                \(setting.key)  (\(setting.flag), \(setting.variable), default: \(setting.standard ?? "none"))
                    \(setting.help)
                """)
        }
    }
}
