import ArgumentParser
import CInstallation
import CProcesses
import Foundation
import Logging
import UnixSignals
import WeirAccess
import WeirFiles
import WeirStates
import WeirTelemetry

/// The `weir` command.
#if !FUZZING  // `fuzz` has its own entry point.
    @main
#endif
struct RootCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "weir",
        abstract: "Runs operations and shows every state each one passes through, live, in a browser.",
        discussion: CommandConfiguration.exitCodes,
        version: build,
        groupedSubcommands: [
            CommandGroup(
                name: "Server",
                subcommands: [
                    Serve.self, Check.self, DoctorCommand.self, Export.self, Import.self, UserCommands.self,
                    TokenCommands.self, SessionCommands.self, LinkCommands.self, SecretCommands.self,
                    AuditCommands.self, JournalCommands.self, BackupCommands.self, Restore.self, Resume.self,
                    SettingsCommands.self,
                ]),
            CommandGroup(
                name: "Client",
                subcommands: [
                    LogIn.self, LogOut.self, OperationCommands.self, ListRuns.self, StartRun.self, Watch.self,
                    CancelRun.self, DeleteRuns.self, ShowOutput.self, RunCommand.self, SendReports.self,
                    NotifyCommands.self,
                    AssistantCommand.self,
                ]),
        ],
        defaultSubcommand: nil)

    static let version = "0.2.0"

    /// The version, with the commit if a package was built from one.
    static let build: String = {
        let commit = String(cString: cinstallation_commit())
        return commit.isEmpty ? version : "\(version) (\(commit))"
    }()

    /// Runs the command; fails if its output cannot be written.
    static func main() async {
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
            let unwritten = processes_flush()
            if unwritten != 0 { exit(unableToWrite: unwritten) }
        } catch {
            exit(withError: error)
        }
    }

    /// Ends the process after a failed write to standard output: with 0 if its reader has closed the pipe, as `head` does.
    static func exit(unableToWrite error: Int32) -> Never {
        guard error != EPIPE else { Foundation.exit(0) }
        complain("Standard output cannot be written: \(String(cString: strerror(error))).")
        Foundation.exit(73)
    }
}

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serves the dashboard.",
        usage: "weir serve [--check-config] [--config <file>] [--<setting> <value>] ...", discussion: SettingFlags.help,
        example: "weir serve --port 9000 --data /srv/weir --config /etc/weir/weir.yml")

    @Flag(
        help:
            "Tells every mistake of the configuration with its place, and exits: with 78 if there is one, otherwise with 0."
    )
    var checkConfig = false
    @OptionGroup var flags: SettingFlags

    func run() async throws {
        // Programs run as the same user, and must not read this process's memory and environment.
        if processes_hide() != 0 { complain("Programs can read this process's memory.") }
        CommandHelper.adoptOrphans()
        let environment = ProcessInfo.processInfo.environment
        for variable in Setting.secretVariables { processes_forget(variable) }
        let socket = try await explaining { try PassedSocket(environment: environment) }
        var sources = flags.sources(environment: environment)
        if let socket { sources.flags.use(["host": socket.host, "port": String(socket.port)]) }
        let settings = try Settings.inForce(sources)
        if checkConfig {
            var check = ConfigurationCheck.all(settings, config: flags.config, environment: environment)
            await check.addUsers(settings)
            guard check.show() else { throw ExitCode(78) }
            return
        }
        let level = LogLevel(settings)
        let isJSON = settings.text("log.format") == "json"
        LoggingSystem.bootstrap(
            { label, provider in
                guard isJSON else {
                    return LeveledLogHandler(
                        StreamLogHandler(label: label, stream: LogOutput(), metadataProvider: provider), level: level)
                }
                return LeveledLogHandler(JSONLogHandler(label: label, metadataProvider: provider), level: level)
            }, metadataProvider: LogContext.provider)
        FileLimit.raise()
        for line in Setting.unknownVariables(in: environment) { Logger(label: "weir").warning("\(line)") }
        // Ignored until the server installs its handlers.
        for number in SignalService.signals { signal(number.rawValue, SIG_IGN) }
        // Files that the server creates are private to their owner. Programs get the operator's umask.
        let mask = FileMask(bits: umask(0o077))
        // With SIGXFSZ ignored, a file at its size limit (`ulimit -f`) fails one write and does not end the server.
        signal(SIGXFSZ, SIG_IGN)
        try await explaining {
            try await ServerProcess(settings, sources: sources, level: level, umask: mask, socket: socket).run()
        }
    }
}

/// Runs the body of a command; prints an error for the operator and exits with its code.
func explaining<Result>(_ body: () async throws -> Result) async throws -> Result {
    do {
        return try await body()
    } catch {
        let code: Int32
        switch error {
        case let error as StartError: code = error.exitCode
        case let error as ClientError: code = error.exitCode
        case is AccessError: code = 65
        default: throw error
        }
        complain("\(error)")
        throw ExitCode(code)
    }
}

/// An error that prevents a start or a command, described for the operator.
struct StartError: Error, CustomStringConvertible {
    let description: String
    let exitCode: Int32

    /// A given file or run does not exist: 66, EX_NOINPUT.
    static func missing(_ description: String) -> StartError { StartError(description: description, exitCode: 66) }

    /// A file has invalid contents: 65, EX_DATAERR.
    static func malformed(_ description: String) -> StartError { StartError(description: description, exitCode: 65) }

    /// A required resource cannot be used: 69, EX_UNAVAILABLE.
    static func unavailable(_ description: String) -> StartError { StartError(description: description, exitCode: 69) }

    /// Another server has taken over, and this one must be restarted: 75, EX_TEMPFAIL.
    static func replaced(_ description: String) -> StartError { StartError(description: description, exitCode: 75) }

    /// A setting cannot be used: 78, EX_CONFIG.
    static func misconfigured(_ description: String) -> StartError {
        StartError(description: description, exitCode: 78)
    }
}
