import ArgumentParser
import Foundation

/// `weir send`: sends what `weir run` could not.
struct SendReports: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send", abstract: "Sends the reports of `weir run` that are still waiting for their servers.",
        discussion: """
            Each goes to the server that it was made for, with the token that `weir login` keeps for it, or the one that is \
            given here. What arrived before is not sent again.
            """)

    @OptionGroup var connection: ConnectionOptions
    @Option(help: "The folder where the reports wait.") var spool: String?

    func run() async throws {
        let environment = ProcessInfo.processInfo.environment
        let folder = spool.map { SpoolFolder(URL(filePath: $0)) } ?? SpoolFolder(environment: environment)
        var left = 0
        try await ConnectionOptions.explaining {
            for spool in folder.waiting() {
                var options = connection
                options.server = spool.header.server
                try await ServerClient.with(try options.connection(environment: environment)) { client in
                    let reporter = Reporter(client, spool: spool, lease: .seconds(300)) { _ in }
                    switch await reporter.once() {
                    case .delivered, .cancelled, .unfinished:
                        spool.remove()
                        print("Sent \(spool.header.run) to \(spool.header.server).")
                    case .left: left += 1
                    case .refused(let error):
                        left += 1
                        complain("\(spool.url.path): \(error.description)")
                    }
                }
            }
        }
        if left > 0 { throw ExitCode(69) }
    }
}
