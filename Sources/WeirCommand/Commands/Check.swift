import ArgumentParser
import Foundation

struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Checks operation files, templates and strings, and tells every problem by file and line.",
        usage: "weir check [--config <file>] [--operations <folder>] [--templates <folder>] [--runbook <file>] ...",
        discussion: SettingFlags.help,
        example: "weir check --operations operations --templates my-templates")

    @OptionGroup var flags: SettingFlags

    func run() async throws {
        let environment = ProcessInfo.processInfo.environment
        let settings = try Settings.inForce(flags.sources(environment: environment))
        try await explaining {
            let check = try ConfigurationCheck.files(settings, config: flags.config, environment: environment)
            guard check.show() else { throw ExitCode(1) }
        }
    }
}
