import Boards
import Journals
import Operations
import StandardOperations
import StandardStores
import States
import Testing

@testable import Pages

/// How much is sent when something changes: what changed, and never the page.
@Suite struct AnswerSizeTests {
    private let catalog: Catalog
    private let pages: PageRenderer

    init() throws {
        var catalog = Catalog()
        catalog.add(StatesOnly<GreetingInput, GreetingState>(), id: "greeting", title: "Greeting", summary: "")
        catalog.add(StatesOnly<FileUploadInput, FileUploadState>(), id: "file-upload", title: "Upload", summary: "")
        catalog.add(StatesOnly<HTTPRequestInput, HTTPRequestState>(), id: "http-request", title: "Request", summary: "")
        catalog.add(
            store: Runbook(try #require(RunbookState.samples.first)), id: "runbook", title: "Release", summary: "")
        self.catalog = catalog
        pages = PageRenderer(catalog: catalog, templates: try TemplateSet())
    }

    @Test(arguments: [0, 100, 1_000])
    func `an answer carries what changed, however many runs there were`(earlier: Int) throws {
        for operation in ["greeting", "file-upload", "http-request"] {
            let entry = try #require(catalog[operation])
            var script = BoardScript(catalog)
            for number in 0..<earlier { fill(&script, "\(number)", entry) }
            let run = "01j00000000000000000000000"
            var publications = [script.open(run, operation, entry.initial, input: ["name": "World"])]
            for sample in entry.samples.dropFirst() where sample.phase == .active {
                publications += [script.move(run, sample), script.move(run, sample)].compactMap(\.self)
            }
            let end = try #require(entry.samples.first { $0.phase == .succeeded })
            publications += [script.move(run, end)].compactMap(\.self)
            for topic in [PageTopic.board, .runs, .operation(operation), .run(run)] {
                for publication in publications {
                    let patches = pages.patches(for: publication, page: LivePage(topic))
                    let size = try self.size(patches)
                    print(
                        "SIZE \(earlier) \(topic) \(publication.change.state.caseName) \(publication.change.isTransition ? "T" : "t") \(size)"
                    )
                    if earlier == 100, size > 500 {
                        print(try patches.map { try $0.json.text() }.joined(separator: "\n"))
                    }
                }
            }
        }
    }

    private func fill(_ script: inout BoardScript, _ number: String, _ entry: CatalogEntry) {
        let run = "01h" + String(repeating: "0", count: 23 - number.count) + number
        _ = script.open(run, entry.id, entry.initial, input: ["name": "World"])
        if let end = entry.samples.last(where: { $0.phase == .succeeded }) { _ = script.move(run, end) }
    }

    private func size(_ patches: [Patch]) throws -> Int {
        try JSONValue.array(patches.map(\.json)).text().utf8.count
    }
}
