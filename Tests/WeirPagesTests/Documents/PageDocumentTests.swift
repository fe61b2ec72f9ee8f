import Testing
import WeirBoards
import WeirJournals

@testable import WeirPages

/// Documents that are rendered once for many requests.
@Suite struct PageDocumentTests {
    private func contents(_ view: BoardView) -> [PageContent] {
        [.board(view), .runs(view), .stores(view)] + view.operations.map(PageContent.operation)
            + view.recentRuns.map(PageContent.run) + view.stores.map(PageContent.store)
    }

    private func filled(_ document: PageDocument, for frame: PageFrame) -> String {
        document.pieces.map { piece in
            switch piece {
            case .markup(let markup): markup
            case .place(let place): PageDocument.markup(of: place, in: frame)
            }
        }.joined()
    }

    @Test(arguments: [PageLocale.english, .brazilianPortuguese])
    func `filled in for a request, a document is the one that is rendered for it alone`(locale: PageLocale) throws {
        var fixture = try Fixture()
        try fixture.fill()
        var frames: [PageFrame] = []
        for name in ["Ana", "<b>&\"'", "e\u{301}\"\u{301}", "\u{1F980}", "{{main}}"] {
            var frame = PageFrame(
                locale: locale, clock: Timestamp(milliseconds: 1_790_000_000_123),
                viewer: PageViewer(name: name, canRename: name == "Ana"))
            frame.account = PageAccount(name: name)
            frame.viewers = fixture.pages.viewers([name, "Rui", "a", "b", name], locale: locale)
            frames.append(frame)
        }
        frames.append(PageFrame(locale: locale))
        for content in contents(fixture.script.board) {
            for frame in frames {
                let open = fixture.pages.openDocument(content, cursor: Fixture.cursor, frame: frame)
                let alone = fixture.pages.document(content, cursor: Fixture.cursor, frame: frame)
                #expect(filled(open, for: frame) == alone)
            }
        }
    }

    @Test func `one document serves all requests of a second that differ in their names only`() throws {
        var fixture = try Fixture()
        try fixture.fill()
        var (ana, rui) = (PageFrame(), PageFrame())
        (ana.clock, rui.clock) = (
            Timestamp(milliseconds: 1_790_000_000_001), Timestamp(milliseconds: 1_790_000_000_999)
        )
        (ana.viewer, rui.viewer) = (.init(name: "Ana", canRename: true), .init(name: "Rui", canRename: true))
        (ana.account, rui.account) = (PageAccount(name: "Ana"), PageAccount(name: "Rui"))
        (ana.viewers, rui.viewers) = ("<p>Also here: Rui</p>", "")
        #expect(ana.closed == rui.closed)
        for content in contents(fixture.script.board) {
            let open = fixture.pages.openDocument(content, cursor: Fixture.cursor, frame: ana)
            #expect(open.pieces == fixture.pages.openDocument(content, cursor: Fixture.cursor, frame: rui).pieces)
            #expect(
                filled(open, for: rui) == fixture.pages.document(content, cursor: Fixture.cursor, frame: rui))
        }
        rui.account = PageAccount(name: nil)
        #expect(ana.closed != rui.closed)
        rui.account = ana.account
        rui.viewers = nil
        #expect(ana.closed != rui.closed)
        rui.viewers = ""
        rui.viewer?.canRename = false
        #expect(ana.closed != rui.closed)
    }

    @Test func `who else is there is named up to four, and the rest are counted`() throws {
        let pages = try Fixture().pages
        #expect(pages.viewers([], locale: .english) == "")
        #expect(pages.viewers(["Ana", "<b>"], locale: .english) == "<p>Also here: Ana, &lt;b&gt;</p>")
        let many = pages.viewers(["a", "b", "c", "d", "e", "f"], locale: .brazilianPortuguese)
        #expect(many == "<p>Também aqui: a, b, c, d <span title=\"e, f\">+2</span></p>")
    }

    @Test func `signing out is offered to nobody for whom it ends nothing`() throws {
        let pages = try Fixture().pages
        var frame = PageFrame()
        frame.account = PageAccount(name: "Ana")
        #expect(!pages.gallery(frame: frame).contains("id=\"sign-out\""))
        frame.account?.canSignOut = true
        #expect(pages.gallery(frame: frame).contains("id=\"sign-out\""))
    }
}
