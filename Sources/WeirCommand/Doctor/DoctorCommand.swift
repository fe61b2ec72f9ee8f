import ArgumentParser
import Foundation
import WeirStates

/// `weir doctor`: examines an installation and changes nothing.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Examines an installation, and tells what is wrong and what to do.",
        usage: "weir doctor [--url <url>] [--json] [--config <file>] [--<setting> <value>] ...",
        discussion: """
            Works while the server runs and while it is stopped, and changes nothing. Run it as the server's user. Marks: ✓ in \
            order, ! to look at, ✕ to mend. Exits with 1 if something is to be mended, and with 0 otherwise. With a public URL it \
            takes 16 seconds, because it waits for a silent answer.

            \(SettingFlags.help)
            """,
        example: "weir doctor --config /etc/weir/weir.yml --url https://weir.example")

    @Option(help: "The URL by which browsers reach the server through a proxy; without it, public-url.") var url:
        String?
    @Flag(help: "Writes JSON.") var json = false
    @OptionGroup var flags: SettingFlags

    func run() async throws {
        let environment = ProcessInfo.processInfo.environment
        let findings = await Doctor(flags.sources(environment: environment), url: url).examine()
        output((json ? try findings.json.text() : findings.text) + "\n")
        guard !findings.hasFailures else { throw ExitCode(1) }
    }
}
