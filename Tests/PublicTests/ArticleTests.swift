import Hummingbird
import Testing
import Weir

/// The app that the article of Weir shows.
@Suite(.timeLimit(.minutes(15)))
struct ArticleTests {
    struct Greet: SimpleOperation {
        struct Input: FormInput {
            var name = "Ada"
            static let fields = [InputField(\Self.name, "Name", required: true)]
        }

        func run(_ input: Input, report: RunReporter) async throws -> String {
            report.note("Greeting \(input.name)")
            return "Hello, \(input.name)!"
        }
    }

    @Test func `an operation is run on a board that a router mounts`() async throws {
        var catalog = Catalog()
        catalog.add(Greet(), id: "greet", title: "Greet", summary: "Greets a person.")
        let board = try await Board.open(catalog: catalog, journal: MemoryJournal())
        let router = Router()
        try router.mountWeir(board, at: "/ops", access: .open)

        let receipt = try await board.start("greet", input: ["name": "Grace"], actor: "ada")
        await board.outcome(of: receipt.run)
        #expect(try await board.run(receipt.run).state.payload == ["result": "Hello, Grace!"])
        await board.shutdown()
    }
}
