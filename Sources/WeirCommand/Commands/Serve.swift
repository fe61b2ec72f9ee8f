import ArgumentParser
import Foundation
import Logging
import UnixSignals
import WeirFiles
import WeirWeb

/// `weir serve`: runs the dashboard until a signal stops it.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serves the dashboard.", usage: "weir serve [--config <file>] [--<setting> <value>] ...",
        discussion: SettingFlags.help)

    @OptionGroup var flags: SettingFlags

    func run() async throws {
        let environment = ProcessInfo.processInfo.environment
        let sources = flags.sources(environment: environment)
        let settings = try Settings.inForce(sources)
        let level = LogLevel(settings)
        LoggingSystem.bootstrap { label in
            LeveledLogHandler(StreamLogHandler.standardError(label: label), level: level)
        }
        FileLimit.raise()
        for line in Setting.unknownVariables(in: environment) { Logger(label: "weir").warning("\(line)") }
        // Until the server handles them, these signals must not end it.
        for number in SignalService.signals { signal(number.rawValue, SIG_IGN) }
        // Only the owner can access the files that the server creates. Programs get the mask of the operator.
        let mask = FileMask(bits: umask(0o077))
        // A file that cannot grow (`ulimit -f`) is the failure of one write, not the end of the server.
        signal(SIGXFSZ, SIG_IGN)
        do {
            try await ServerProcess(settings, sources: sources, level: level, umask: mask).run()
        } catch let error as StartError {
            complain(error.description)
            throw ExitCode(error.exitCode)
        }
    }
}
