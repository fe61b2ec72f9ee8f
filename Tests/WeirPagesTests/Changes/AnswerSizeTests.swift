import Testing
import WeirBoards
import WeirJournals
import WeirStandard
import WeirStates

@testable import WeirPages

/// How much is sent when something changes: what changed, and never the page.
///
/// In bytes of the patches of one change, as JSON and not compressed. An answer has about 400 more.
@Suite struct AnswerSizeTests {
    private let catalog: Catalog
    private let pages: PageRenderer

    init() throws {
        var catalog = Catalog()
        catalog.add(StatesOnly<GreetingInput, GreetingState>(), id: "greeting", title: "Greeting", summary: "")
        catalog.add(StatesOnly<FileUploadInput, FileUploadState>(), id: "file-upload", title: "Upload", summary: "")
        catalog.add(CopyOperation(), id: "copy", title: "Copy", summary: "")
        catalog.add(store: Door(), id: "door", title: "Door", summary: "")
        self.catalog = catalog
        pages = PageRenderer(catalog: catalog, templates: try TemplateSet())
    }

    @Test(arguments: [0, 100, 1_000])
    func `a change of a run carries what changed, however many runs there were`(earlier: Int) throws {
        for operation in ["greeting", "file-upload", "copy"] {
            let entry = try #require(catalog[operation])
            var script = BoardScript(catalog)
            for number in 0..<earlier { fill(&script, "\(number)", entry) }
            let run = "01j00000000000000000000000"
            let input: JSONValue =
                operation == "file-upload" ? ["file": ["filename": "a.bin"]] : ["name": "World"]
            var publications = [script.open(run, operation, entry.initial, input: input)]
            for sample in entry.samples where sample.phase == .active {
                publications += [script.move(run, sample)].compactMap(\.self)
            }
            let end = try #require(entry.samples.first { $0.phase == .succeeded })
            publications += [script.move(run, end)].compactMap(\.self)
            for topic in [PageTopic.board, .runs, .operation(operation), .run(run)] {
                for publication in publications {
                    let size = try size(publication, topic)
                    let limit =
                        publication.change.draft.opening != nil
                        ? Self.opening[topic.kind] : Self.transition[topic.kind]
                    let state = publication.change.state.caseName
                    #expect(size <= limit ?? 0, "\(topic) \(state) after \(earlier) runs")
                }
            }
        }
    }

    /// The most bytes of a change to another state, by the kind of page.
    private static let transition = ["board": 2_600, "runs": 500, "operation": 3_750, "run": 3_400]
    /// The most bytes of an opening; a run's own page is never open before it.
    private static let opening = ["board": 3_750, "runs": 1_350, "operation": 11_300, "run": 7_900]

    @Test func `what is listed as running is not sent again when another run opens, begins and ends`() throws {
        var script = BoardScript(catalog)
        let copy = try #require(catalog["copy"])
        let greeting = try #require(catalog["greeting"])
        for number in 0..<6 {
            _ = script.open("a\(number)", "copy", copy.initial)
            _ = script.move("a\(number)", try StateRecord(CopyState.reading(bytes: 1, total: 10)))
        }
        var publications = [script.open("b", "greeting", greeting.initial, input: ["name": "World"])]
        for phase in [Phase.active, .succeeded] {
            let state = try #require(greeting.samples.first { $0.phase == phase })
            publications += [script.move("b", state)].compactMap(\.self)
        }
        #expect(publications.count == 3)
        for publication in publications {
            let patches = pages.patches(for: publication, page: LivePage(.board))
            #expect("\(patches)".contains("works-b") && !"\(patches)".contains("works-a"))
        }
    }

    @Test(arguments: [0, 1_000])
    func `a tick carries the figures that changed`(earlier: Int) throws {
        let entry = try #require(catalog["copy"])
        var script = BoardScript(catalog)
        for number in 0..<earlier { fill(&script, "\(number)", entry) }
        let run = "01j00000000000000000000000"
        _ = script.open(run, "copy", entry.initial)
        _ = script.move(run, try StateRecord(CopyState.reading(bytes: 1_000, total: 1_000_000)))
        for done in stride(from: Int64(2_000), through: 1_000_000, by: 49_000) {
            let state = try StateRecord(CopyState.reading(bytes: done, total: 1_000_000))
            let made = script.move(run, state, after: 10)
            let tick = try #require(made)
            #expect(!tick.change.isTransition)
            for topic in [PageTopic.board, .runs, .operation("copy"), .run(run)] {
                let size = try size(tick, topic)
                #expect(size <= 600, "\(topic) \(done)")
            }
        }
    }

    @Test func `a store's change carries what changed, however many there were`() throws {
        var script = BoardScript(catalog)
        for step in 0..<200 {
            let change = StoreStep(.action, action: .init(name: "close"), actor: "Ana")
            let state = try StateRecord(DoorState.samples[step % DoorState.samples.count])
            let made = script.act("door", state, change)
            let publication = try #require(made)
            for (topic, limit) in [(PageTopic.board, 700), (.stores, 1_500), (.store("door"), 5_000)] {
                let size = try size(publication, topic)
                #expect(size <= limit, "\(topic) \(step)")
            }
        }
    }

    private func fill(_ script: inout BoardScript, _ number: String, _ entry: CatalogEntry) {
        let run = "01h" + String(repeating: "0", count: 23 - number.count) + number
        _ = script.open(run, entry.id, entry.initial, input: ["name": "World"])
        if let end = entry.samples.last(where: { $0.phase == .succeeded }) { _ = script.move(run, end) }
    }

    private func size(_ publication: Publication, _ topic: PageTopic) throws -> Int {
        let patches = pages.patches(for: publication, page: LivePage(topic))
        return try JSONValue.array(patches.map(\.json)).text().utf8.count
    }
}

extension PageTopic {
    fileprivate var kind: String {
        switch self {
        case .board: "board"
        case .runs: "runs"
        case .operation: "operation"
        case .run: "run"
        case .stores, .store, .output, .wall: ""
        }
    }
}
