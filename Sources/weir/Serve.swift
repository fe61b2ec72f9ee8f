import ArgumentParser
import Foundation
import Logging

/// `weir serve`: runs the dashboard until it is told to stop.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serves the dashboard.",
        discussion: """
            A flag counts before the environment (WEIR_PORT), the environment before the file, the file before the \
            default. `weir settings` lists everything that can be set.
            """)

    @Option(help: "The address to listen on.") var host: String?
    @Option(help: "The port to listen on; 0 takes a free one and prints it.") var port: String?
    @Option(help: "The folder for the journal and the uploads.") var data: String?
    @Option(help: "A settings file in YAML; without it ./weir.yml, if there is one.") var config: String?
    @Option(help: "A folder whose templates take the place of the built-in ones, file by file.") var templates: String?
    @Option(name: .customLong("public"), help: "A folder whose files take the place of the built-in ones.")
    var publicFolder: String?
    @Option(help: "Names under which browsers may reach this server, separated by commas.") var allowedHosts: String?
    @Option(help: "A Markdown file with a task list, to work through together; may be given several times.")
    var runbook: [String] = []
    @Option(help: "Where the journal is kept: sqlite or memory.") var journal: String?

    func run() async throws {
        let settings = try Settings.inForce(flags: flags, config: config)
        LoggingSystem.bootstrap { label in
            var handler = StreamLogHandler.standardError(label: label)
            handler.logLevel = settings.text("log-level").flatMap(Logger.Level.init(rawValue:)) ?? .info
            return handler
        }
        // A file that may not grow any more (`ulimit -f`) is the failure of one write, not the end of the server.
        signal(SIGXFSZ, SIG_IGN)
        do {
            try await Service(settings).run()
        } catch let error as StartError {
            complain(error.description)
            throw ExitCode(error.exitCode)
        }
    }

    private var flags: [String: String?] {
        [
            "host": host, "port": port, "data": data, "templates": templates, "public": publicFolder,
            "journal": journal, "allowed-hosts": allowedHosts,
            "runbook": runbook.isEmpty ? nil : runbook.joined(separator: ","),
        ]
    }
}
