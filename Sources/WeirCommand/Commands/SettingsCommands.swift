import ArgumentParser
import Foundation
import WeirStates

struct SettingsCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "settings", abstract: "Lists every setting, or accepts a settings file that lacks keys.",
        subcommands: [List.self, Accept.self], defaultSubcommand: List.self)

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Lists every setting, its flag, its environment variable and its default.",
            example: "weir settings")

        @Flag(help: "Write the page Documentation/settings.md.") var markdown = false

        @Flag(help: "Write the JSON Schema of the settings file, for editors.") var schema = false

        func run() throws {
            if markdown { return print(SettingsDocument.text, terminator: "") }
            if schema { return print(try SettingsSchema.value.text()) }
            for setting in Setting.all {
                print(
                    """
                    \(setting.key)  (\(setting.flag), \(setting.variable), default: \(setting.standard ?? "none"))
                        \(setting.help)
                    """)
            }
        }
    }

    /// `weir settings accept`: lets a running server apply a settings file that lacks keys.
    struct Accept: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "accept",
            abstract: "Lets a running server apply a settings file that lacks keys which are in force.",
            discussion:
                "Counts for the next SIGHUP, and only for exactly this file: a key that the file lacks then has its default, and a "
                + "role or grant that it lacks is gone.",
            example: "weir settings accept --config /etc/weir/weir.yml --data /var/lib/weir")

        @Option(help: "The server's data folder.") var data: String?
        @Option(help: "A settings file in YAML; without it ./weir.yml.") var config: String?

        func run() throws {
            let settings = try Settings.inForce(flags: ["data": data], config: config)
            let folder = DataFolder(settings)
            guard let file = settings.file else {
                complain("There is no weir.yml here. Name the settings file with --config.")
                throw ExitCode(66)
            }
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: folder.url.path, isDirectory: &isFolder), isFolder.boolValue
            else {
                complain("There is no data folder \(folder.url.path). Name the server's with --data.")
                throw ExitCode(66)
            }
            do {
                try SettingsAcceptance(folder).give(file)
            } catch {
                complain("The data folder \(folder.url.path) cannot be written. Run this as the server's user.")
                throw ExitCode(73)
            }
            print("Accepted. Send the server SIGHUP (kill -HUP, systemctl reload) to apply the file as it is now.")
        }
    }
}
