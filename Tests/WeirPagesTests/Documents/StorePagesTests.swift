import MarkupTesting
import Testing
import WeirBoards
import WeirJournals
import WeirOperations
@testable import WeirPages
import WeirStates

@Suite struct StorePagesTests {
    private static func page(
        _ state: DoorState, overlay: [String: String] = [:], draft: FormDraft? = nil, isPast: Bool = false
    ) throws -> MarkupDocument {
        var fixture = try Fixture(overlay: overlay)
        _ = fixture.script.act("door", try StateRecord(state), StoreStep(.opened))
        let view = try #require(fixture.script.board.store("door"))
        let html =
            isPast
            ? fixture.pages.past(view, latest: view, next: nil, frame: PageFrame())
            : fixture.pages.document(.store(view), cursor: Fixture.cursor, frame: PageFrame(), draft: draft)
        #expect(Markup.check(html, as: .document).isEmpty)
        return try MarkupDocument(html, as: .document)
    }

    // L5
    @Test func `each action that is offered is a plain form with what it sends`() throws {
        let page = try Self.page(DoorState.samples[0])
        let forms = try page.elements("//form[starts-with(@action, '/stores/door/actions')]")
        #expect(forms.map { $0["id"] } == ["act-draw-1", "act-draw-2", "act-open-2", "act-paint-1", "act-paint-2"])
        let sent = try page.elements("//form[@id='act-paint-2']//input[@type='hidden']")
        #expect(sent.map { "\($0["name"] ?? "")=\($0["value"] ?? "")" } == ["type=paint", "bolt=2"])
        #expect(try page.elements("//form[@id='act-paint-2']//select[@name='colour']").count == 1)
        #expect(try page.elements("//form[@id='act-paint-2']//input[@name='bolt'][@type!='hidden']").isEmpty)
    }

    @Test func `what makes no sense at the moment is a button that does nothing`() throws {
        let page = try Self.page(DoorState.samples[0])
        let buttons = try page.elements("//button[@disabled]")
        #expect(buttons.map(\.text) == ["Open"] && buttons.allSatisfy { $0["type"] == "button" })
    }

    @Test func `a template puts the actions of a part where the part is, and the others stay below`() throws {
        let template = """
            <ul>{{#bolts}}<li id="{{uid}}-{{id}}"{{#hasMistake}} class="bad"{{/hasMistake}}>
            Bolt {{id}} {{{acts}}}</li>{{/bolts}}</ul>
            """
        let overlay = Dictionary(
            uniqueKeysWithValues: ["closed", "open", "broken"].map { ("stores/door/\($0).mustache", template) })
        let page = try Self.page(DoorState.samples[0], overlay: overlay)
        #expect(try page.elements("//li[@id='store-1']//form").map { $0["id"] } == ["act-draw-1", "act-paint-1"])
        #expect(try page.elements("//*[@id='acts']//form").map { $0["id"] } == ["act-open-2"])
        let draft = FormDraft(form: "act-paint-2", errors: [.init(field: "colour", detail: "is dry")])
        let mistaken = try Self.page(DoorState.samples[0], overlay: overlay, draft: draft)
        #expect(try mistaken.elements("//li[@class='bad']").map { $0["id"] } == ["store-2"])
    }

    @Test func `a mistake stands beside its field, in the form that was sent`() throws {
        let draft = FormDraft(
            form: "act-paint-2", values: ["colour": "blue"],
            errors: [.init(field: "colour", detail: "is dry"), .init(field: "bolt", detail: "is gone")])
        let page = try Self.page(DoorState.samples[0], draft: draft)
        #expect(try page.elements("//*[@id='act-paint-2-colour-error']").map(\.text) == ["is dry"])
        #expect(try page.elements("//*[@id='act-paint-2-error']").map(\.text) == ["is gone"])
        #expect(try page.elements("//*[@aria-invalid]").map { $0["id"] } == ["act-paint-2-colour"])
        #expect(try page.elements("//details[@open]").map { $0["id"] } == ["act-paint-2-box"])
        #expect(try page.elements("//form[@id='act-paint-2']//option[@selected]").map { $0["value"] } == ["blue"])
    }

    @Test func `a page of the past offers nothing but to return`() throws {
        let page = try Self.page(DoorState.samples[0], isPast: true)
        #expect(try page.elements("//form[@method='post']").map { $0["action"] } == ["/stores/door/state"])
        #expect(try page.elements("//form[@id='return']/input").map { $0["value"] } == ["1"])
        #expect(try page.elements("//main[@data-paused='1'][not(@data-next)]").count == 1)
        #expect(try page.elements("//*[@id='effects']").isEmpty)
    }

    @Test func `effects are listed for the client, newest first, with whom they are for`() throws {
        var fixture = try Fixture(mountPath: "/ops")
        let step = StoreStep(.action, action: .init(name: "close"), actor: "Ana", effects: Fixture.effects)
        _ = fixture.script.act("door", try StateRecord(DoorState.samples[0]), step)
        let view = try #require(fixture.script.board.store("door"))
        let html = fixture.pages.region(.store(view), cursor: Fixture.cursor, frame: PageFrame())
        let items = try MarkupDocument(html, as: .fragment).elements("//ol[@id='effects']/li")
        #expect(items.map { $0["data-effect"] } == ["1.3", "1.2", "1.1", "1.0"])
        #expect(items.map { $0["data-kind"] } == ["other", "download", "navigation", "toast"])
        #expect(items.map { $0["data-path"] } == [nil, "/ops/stores/door/effects/1/2", "/ops/runs", nil])
        #expect(items.map { $0["data-audience"] } == [nil, nil, nil, #"["Ana","Rui"]"#])
        #expect(items.map(\.text) == ["bell", "door.md", "/runs", "It is open."])
    }

    @Test func `whoever looks is told who they act as, and can change it unless a proxy says so`() throws {
        let fixture = try Fixture()
        func page(_ viewer: PageViewer?, _ content: PageContent) throws -> MarkupDocument {
            let frame = PageFrame(path: "/stores/door?at=3", viewer: viewer)
            return try MarkupDocument(
                fixture.pages.document(content, cursor: Fixture.cursor, frame: frame), as: .document)
        }
        let stores = PageContent.stores(fixture.script.board)
        let free = try page(PageViewer(name: "Ana", canRename: true), stores)
        #expect(try free.elements("//input[@id='name-name']").map { $0["value"] } == ["Ana"])
        #expect(
            try free.elements("//form[@id='name']/input[@name='back']").map { $0["value"] } == ["/stores/door?at=3"])
        #expect(try free.elements("//*[@id='toasts']").map { $0["data-name"] } == ["Ana"])
        let fixed = try page(PageViewer(name: "Ana", canRename: false), stores)
        #expect(try fixed.elements("//*[@id='who']").count == 1 && fixed.elements("//form[@id='name']").isEmpty)
        let board = try page(PageViewer(name: "Ana", canRename: true), .board(fixture.script.board))
        #expect(try board.elements("//*[@id='who']").isEmpty)
    }

    // L3
    @Test func `templates of a store are held against its states`() throws {
        let fixture = try Fixture(overlay: [
            "stores/door/closed.mustache": "<p>{{bolt}}</p>", "stores/door/ajar.mustache": "<p>x</p>",
            "stores/gate/closed.mustache": "<p>x</p>",
        ])
        let problems = fixture.pages.check().filter { $0.file.hasPrefix("stores/") }.map(\.description)
        #expect(
            problems.map { $0.prefix { $0 != " " } }.sorted()
                == [
                    "stores/door/ajar.mustache:", "stores/door/broken.mustache:", "stores/door/closed.mustache:1:",
                    "stores/door/open.mustache:", "stores/gate/closed.mustache:",
                ].map { $0[...] })
    }

    @Test func `a store's pages look as they were reviewed, in each language`() throws {
        let snapshots = MarkupSnapshots(suite: "StorePagesTests")
        var fixture = try Fixture()
        try fixture.fill()
        let view = try #require(fixture.script.board.store("door"))
        for locale in [PageLocale.english, .brazilianPortuguese] {
            let frame = PageFrame(locale: locale, viewer: PageViewer(name: "Ana", canRename: true))
            let stores = fixture.pages.region(.stores(fixture.script.board), cursor: Fixture.cursor, frame: frame)
            let store = fixture.pages.document(.store(view), cursor: Fixture.cursor, frame: frame)
            let past = fixture.pages.past(view, latest: view, next: nil, frame: frame)
            #expect(throws: Never.self) { try snapshots.verify(stores, as: .fragment, named: "stores.\(locale)") }
            #expect(throws: Never.self) { try snapshots.verify(store, as: .document, named: "store.\(locale)") }
            #expect(throws: Never.self) { try snapshots.verify(past, as: .document, named: "past.\(locale)") }
        }
    }
}
