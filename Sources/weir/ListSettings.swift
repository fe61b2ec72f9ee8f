import ArgumentParser

/// `weir settings`: everything that can be set, with where and what it is otherwise.
struct ListSettings: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "settings", abstract: "Lists every setting, its environment variable and its default.")

    func run() {
        for setting in Setting.all {
            print("\(setting.key)  (\(setting.variable), default: \(setting.standard ?? "none"))\n    \(setting.help)")
        }
    }
}
