import Foundation
import Hummingbird
import Weir

/// An application that was there before, with its own routes, and shows its operations under `/ops`.
@main
struct App {
    static func main() async throws {
        let router = Router()
        router.get("/") { _, _ in "The launch site. Its operations are at /ops." }

        var catalog = Catalog()
        catalog.add(Countdown(), id: "countdown", title: "Countdown", summary: "Counts down to a launch.")
        let board = try await Board.open(catalog: catalog, journal: MemoryJournal())
        try router.mountWeir(
            board, at: "/ops", templates: Bundle.module.url(forResource: "Templates", withExtension: nil), access: .open
        )

        try await Application(router: router).runService()
        await board.shutdown()
    }
}
