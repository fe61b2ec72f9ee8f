import MarkupTesting
import Testing
import WeirBoards
import WeirJournals
import WeirOperations
@testable import WeirPages
import WeirStandard
import WeirStates

/// The standard operations' templates, held against the standard operations' states.
@Suite struct StandardPagesTests {
    private let catalog: Catalog
    private let pages: PageRenderer

    init() throws {
        var catalog = Catalog()
        catalog.add(StatesOnly<GreetingInput, GreetingState>(), id: "greeting", title: "Greeting", summary: "")
        catalog.add(StatesOnly<HTTPRequestInput, HTTPRequestState>(), id: "http-request", title: "Request", summary: "")
        catalog.add(StatesOnly<FileUploadInput, FileUploadState>(), id: "file-upload", title: "Upload", summary: "")
        catalog.add(
            StatesOnly<NoInput, ISSPositionState>(), id: "iss-position", title: "ISS", summary: "",
            lifetime: .whileWatched())
        catalog.add(StatesOnly<NoInput, PeopleInSpaceState>(), id: "people-in-space", title: "People", summary: "")
        catalog.add(
            StatesOnly<NoInput, HostVitalsState>(), id: "host-vitals", title: "Vitals", summary: "",
            lifetime: .whileWatched())
        catalog.add(
            store: Runbook(try #require(RunbookState.samples.first)), id: "runbook", title: "Release", summary: "")
        self.catalog = catalog
        pages = PageRenderer(catalog: catalog, templates: try TemplateSet())
    }

    // L3, L4
    @Test func `every case has its own template, and none names what is not there`() {
        let problems = pages.check().filter { $0.file.contains(".") }.map(\.description)
        #expect(problems == [])
    }

    // L1
    @Test(arguments: [PageLocale.english, .brazilianPortuguese])
    func `every sample keeps the rules, side by side and alone`(locale: PageLocale) throws {
        let frame = PageFrame(locale: locale)
        #expect(Markup.check(pages.gallery(frame: frame), as: .document) == [])
        for entry in catalog.entries {
            for (index, sample) in entry.samples.enumerated() {
                var script = BoardScript(catalog)
                _ = script.open("r\(index)", entry.id, entry.initial)
                _ = script.move("r\(index)", sample)
                let operation = try #require(script.board.operation(entry.id))
                for content in [PageContent.board(script.board), .operation(operation)] {
                    let html = pages.document(content, cursor: Fixture.cursor, frame: frame)
                    let problems = Markup.check(html, as: .document)
                    #expect(problems == [], "\(entry.id) \(sample.caseName)")
                }
            }
        }
    }

    // L1
    @Test(arguments: [PageLocale.english, .brazilianPortuguese])
    func `every state of a store keeps the rules, live and at a moment of the past`(locale: PageLocale) throws {
        for view in try stores() {
            let frame = PageFrame(locale: locale)
            let live = pages.document(.store(view), cursor: Fixture.cursor, frame: frame)
            #expect(Markup.check(live, as: .document) == [])
            let past = pages.past(view, latest: view, next: nil, frame: frame)
            #expect(Markup.check(past, as: .document) == [])
        }
    }

    @Test func `a runbook's step is offered what can be done with it where it stands, and once`() throws {
        let view = try #require(try stores().first)
        let html = pages.document(.store(view), cursor: Fixture.cursor, frame: PageFrame())
        for step in ["tests-are-green", "tell-support", "tag-it"] {
            for act in ["tick", "take", "wait", "skip", "assign", "comment"] {
                #expect(html.matches(of: try Regex("id=\"act-\(act)-\(step)\"")).count == 1)
            }
        }
        #expect(html.contains("<code>git tag</code>"))
        #expect(html.contains("<a href=\"https://example.org/\" rel=\"noreferrer\">the status page</a>"))
    }

    /// Each store in each of its samples.
    private func stores() throws -> [StoreView] {
        catalog.stores.flatMap { entry in
            entry.samples.map { sample in
                let change = ChangeDraft(
                    stream: .store(entry.id), subject: entry.id, revision: 0, at: Timestamp(milliseconds: 0),
                    state: sample, isTransition: true, step: StoreStep(.opened))
                return StoreView(entry, changes: [Change(sequence: 7, draft: change)])
            }
        }
    }

    @Test func `every sample of every operation looks as it was reviewed, in each language`() throws {
        let snapshots = MarkupSnapshots(suite: "StandardPagesTests")
        var names: Set<String> = []
        for locale in [PageLocale.english, .brazilianPortuguese] {
            for section in try gallery(locale) {
                let name = "\(section.operation).\(locale.tag)"
                names.insert(name)
                #expect(throws: Never.self) { try snapshots.verify(section.html, as: .document, named: name) }
            }
        }
        #expect(try snapshots.unused(besides: names) == [])
    }

    /// The gallery of each operation by itself.
    private func gallery(_ locale: PageLocale) throws -> [(operation: String, html: String)] {
        func gallery(_ alone: Catalog) throws -> String {
            PageRenderer(catalog: alone, templates: try TemplateSet())
                .gallery(frame: PageFrame(locale: locale, path: "/gallery"))
        }
        let operations = try catalog.entries.map { entry in
            var alone = Catalog()
            alone.add(entry)
            return (operation: entry.id, html: try gallery(alone))
        }
        let stores = try catalog.stores.map { entry in
            var alone = Catalog()
            alone.add(entry)
            return (operation: entry.id, html: try gallery(alone))
        }
        return operations + stores
    }

    @Test func `the station's position is written as the text it grew from writes it`() throws {
        var script = BoardScript(catalog)
        let sample = try #require(catalog["iss-position"]?.samples.first { $0.caseName == "tracking" })
        _ = script.open("r", "iss-position", sample)
        let html = pages.region(.board(script.board), cursor: Fixture.cursor, frame: PageFrame())
        #expect(html.contains("ISS Position = (-12.401800, 158.096500)"))
        #expect(
            html.contains("<use class=\"land\" href=\"/assets/world.svg#land\"/><polyline class=\"trail\" points=\""))
    }
}
