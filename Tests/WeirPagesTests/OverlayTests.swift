import Foundation
import MarkupTesting
import Testing
import TestSupport
import WeirBoards
@testable import WeirPages
import WeirStates

@Suite(.timeLimit(.minutes(15))) struct OverlayTests {
    // L3
    @Test func `a broken template is a box in its place, and the rest works`() throws {
        var fixture = try Fixture(overlay: ["operations/copy/done.mustache": "ok\n{{#target}}"])
        try fixture.fill()
        for page in fixture.everyPage() {
            #expect(Markup.check(page.html, as: .document).isEmpty, "\(page.name)")
        }
        let board = fixture.pages.document(.board(fixture.script.board), cursor: Fixture.cursor, frame: PageFrame())
        #expect(!board.contains("class=\"broken\""))
        let gallery = fixture.pages.gallery(frame: PageFrame())
        #expect(gallery.components(separatedBy: "class=\"broken\"").count == 2)
        #expect(gallery.contains("<code>operations/copy/done.mustache:2</code> a section is not closed"))
        #expect(gallery.contains("There is no gauge."))
    }

    @Test func `a broken page template gives way to the bundled one, under a box`() throws {
        let fixture = try Fixture(overlay: ["pages/layout.mustache": "{{#a}}", "pages/board.mustache": "{{/b}}"])
        let html = fixture.pages.document(.board(fixture.script.board), cursor: Fixture.cursor, frame: PageFrame())
        #expect(
            html.contains("<code>pages/layout.mustache:1</code>")
                && html.contains("<code>pages/board.mustache:1</code>"))
        #expect(html.contains("id=\"op-copy\""))
        #expect(Markup.check(html, as: .document).isEmpty)
    }

    @Test func `a partial that is missing is a box where it would stand`() throws {
        var fixture = try Fixture(overlay: ["operations/copy/done.mustache": "<p>{{target}} {{>partials/none}}</p>"])
        try fixture.fill()
        let run = try #require(fixture.script.runs["c4"])
        let html = fixture.pages.region(.run(run), cursor: Fixture.cursor, frame: PageFrame())
        #expect(html.contains("a/b <span class=\"broken\" role=\"alert\"><code>operations/copy/done.mustache:1</code>"))
    }

    @Test func `a folder takes the place of the files it has and of the strings it has`() throws {
        let fixture = try Fixture(overlay: [
            "partials/facts.mustache": "<p id=\"facts\">mine</p>", "strings/en.json": #"{"start.button": "Go"}"#,
            "strings/de.json": #"{"start.button": "Los", "format.decimal": ","}"#,
        ])
        let content = PageContent.operation(try #require(fixture.script.board.operation("copy")))
        let english = fixture.pages.document(content, cursor: Fixture.cursor, frame: PageFrame())
        #expect(english.contains("mine") && english.contains(">Go</button>") && english.contains("Earlier runs"))
        let german = try #require(PageLocale("de"))
        #expect(fixture.pages.locales.map(\.tag) == ["en", "de", "es", "pt-BR"])
        let other = fixture.pages.document(content, cursor: Fixture.cursor, frame: PageFrame(locale: german))
        #expect(other.contains(">Los</button>") && other.contains("Earlier runs") && other.contains("lang=\"de\""))
    }

    @Test func `a folder that is not there is refused in words`() throws {
        let folder = URL(fileURLWithPath: "/nowhere/templates")
        let error = #expect(throws: TemplateSetError.self) { try TemplateSet(overlay: folder) }
        #expect(error?.description.contains("/nowhere/templates") == true)
    }

    @Test func `what is no file in a folder is reported, and nobody waits for it`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(
            at: folder.appending(path: "pages/board.mustache"), withIntermediateDirectories: true)
        let pipe = try NamedPipe(at: folder.appending(path: "pages/run.mustache"))
        try Data(repeating: 0x61, count: (1 << 20) + 1).write(to: folder.appending(path: "pages/large.mustache"))
        let pages = PageRenderer(catalog: try Fixture().catalog, templates: try TemplateSet(overlay: folder))
        let found = pages.check().map(\.description).filter { $0.hasPrefix("pages/") }
        #expect(
            found.sorted() == [
                "pages/board.mustache: is a folder, a pipe or a device, and not a file",
                "pages/large.mustache: is larger than 1 MiB",
                "pages/run.mustache: is a folder, a pipe or a device, and not a file",
            ])
        withExtendedLifetime(pipe) {}
    }

    @Test func `a payload that no template knows is a list of names and values`() throws {
        var fixture = try Fixture()
        let payload: JSONValue = ["newMember": 1_234.5, "list": [1, ["a": "<b>"]], "flag": true, "nothing": nil]
        _ = fixture.script.open("r", "copy", StateRecord(caseName: "unheardOf", payload: payload, phase: .active))
        let run = try #require(fixture.script.runs["r"])
        let html = fixture.pages.region(.run(run), cursor: Fixture.cursor, frame: PageFrame())
        #expect(html.contains("<dt>New member</dt><dd id=\"run-r-m2\">1234.5</dd>"))
        #expect(html.contains("<dt>List</dt><dd id=\"run-r-m1\">[1,{&quot;a&quot;:&quot;&lt;b&gt;&quot;}]</dd>"))
        #expect(html.contains("<dt>Flag</dt><dd id=\"run-r-m0\">yes</dd>") && !html.contains("Nothing"))
        #expect(html.contains("Unheard of"))
    }
}
