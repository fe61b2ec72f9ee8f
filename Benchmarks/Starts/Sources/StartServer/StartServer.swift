import Foundation
import Hummingbird
import Weir

/// Serves an operation that does nothing, recorded in a file: `StartServer FOLDER` prints its port.
@main
struct StartServer {
    static func main() async throws {
        let folder = URL(filePath: CommandLine.arguments.dropFirst().first ?? ".")
        var catalog = Catalog()
        catalog.add(Nothing(), id: "nothing", title: "Nothing", summary: "Does nothing.")
        let journal = try await SQLiteJournal.open(at: folder.appending(path: "journal.sqlite").path)
        let board = try await Board.open(catalog: catalog, journal: journal)
        let router = Router()
        try router.mountWeir(board, at: "/", access: .open)
        let application = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in
                print(channel.localAddress?.port ?? 0)
                fflush(nil)
            })
        try await application.runService()
        await board.shutdown()
        await journal.close()
    }
}

/// Waits, works and has succeeded: three changes.
struct Nothing: SimpleOperation {
    func run(_ input: NoInput, report: RunReporter) async throws -> NoResult { NoResult() }
}
