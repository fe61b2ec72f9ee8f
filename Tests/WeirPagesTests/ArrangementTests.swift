import Testing
import WeirBoards
import WeirJournals
import WeirStates

@testable import WeirPages

/// The overview as its reader has arranged it.
@Suite struct ArrangementTests {
    private static let items = [
        Arrangement.Item(
            id: "upload", title: "Upload", tags: ["files"], position: 0, isActive: false, changed: 4),
        Arrangement.Item(
            id: "deploy", title: "Deploy", tags: ["production", "web"], position: 1, isActive: true, changed: 9),
        Arrangement.Item(id: "execucao", title: "Execução noturna", tags: [], position: 2, isActive: false, changed: 7),
        Arrangement.Item(id: "archive", title: "archive", tags: ["files"], position: 3, isActive: true, changed: 0),
    ]

    private func order(_ parameters: [String: String], pins: String = "") -> [[String]] {
        let arrangement = Arrangement(parameters: parameters, pins: Arrangement.Pins(pins))
        return arrangement.arranged(Self.items).groups.map(\.ids)
    }

    @Test func `operations stand in the order that was chosen, and what is equal as the catalog lists it`() {
        #expect(order([:]) == [["upload", "deploy", "execucao", "archive"]])
        #expect(order(["sort": "name"]) == [["archive", "deploy", "execucao", "upload"]])
        #expect(order(["sort": "change"]) == [["deploy", "execucao", "upload", "archive"]])
        #expect(order(["sort": "running"]) == [["deploy", "archive", "upload", "execucao"]])
        #expect(order(["sort": "other"]) == order([:]))
    }

    @Test func `what is pinned comes first, in the order of the others`() {
        #expect(order([:], pins: "archive.deploy") == [["deploy", "archive", "upload", "execucao"]])
        #expect(order(["sort": "name"], pins: "upload.gone") == [["upload", "archive", "deploy", "execucao"]])
    }

    @Test func `in groups, each operation stands once: pinned, under its first tag, or without one`() {
        let arrangement = Arrangement(parameters: ["group": "tag"], pins: Arrangement.Pins("archive"))
        let groups = arrangement.arranged(Self.items).groups
        #expect(groups.map(\.name) == [.pinned, .tag("files"), .tag("production"), .untagged])
        #expect(groups.map(\.ids) == [["archive"], ["upload"], ["deploy"], ["execucao"]])
    }

    @Test func `a filter finds parts of words in names, ids and tags, whatever their case and accents`() {
        for (text, found) in [
            ("execucao NOT", ["execucao"]), ("EXECUÇÃO", ["execucao"]), ("web dep", ["deploy"]),
            ("files", ["upload", "archive"]),
            ("  ", ["upload", "deploy", "execucao", "archive"]), ("x y", []),
        ] {
            let (groups, others) = Arrangement(parameters: ["text": text]).arranged(Self.items)
            #expect(groups.flatMap(\.ids) == found, "\(text)")
            #expect(Set(groups.flatMap(\.ids) + others).count == Self.items.count, "\(text)")
        }
    }

    @Test func `an address says what was chosen and no more, and is bounded`() {
        #expect(Arrangement(parameters: [:]).query == "")
        let all = ["density": "compact", "sort": "name", "group": "tag", "text": " a&b ", "lang": "es"]
        #expect(Arrangement(parameters: all).query == "?text=a%26b&sort=name&group=tag&density=compact")
        #expect(Arrangement(parameters: ["density": "huge", "group": "x", "sort": ""]).query == "")
        let long = Arrangement(parameters: ["text": String(repeating: "a", count: 5_000)])
        #expect(long.text.count == Arrangement.longest)
    }

    @Test func `a cookie of pins holds ids alone, each once, and as many as there may be`() {
        #expect(Arrangement.Pins("a.b.a..<b>.C.d-1").ids == ["a", "b", "d-1"])
        #expect(Arrangement.Pins((0..<90).map { "a\($0)" }.joined(separator: ".")).ids.count == 50)
        var pins = Arrangement.Pins("a.b")
        pins.toggle("a")
        pins.toggle("c")
        #expect(pins.text == "b.c")
    }

    @Test func `what one person typed or pinned is kept for nobody else, and everything else for all`() {
        #expect(Arrangement(parameters: ["sort": "change", "group": "tag", "density": "compact"]).isCommon)
        #expect(!Arrangement(parameters: ["text": "a"]).isCommon)
        #expect(!Arrangement(parameters: [:], pins: Arrangement.Pins("a")).isCommon)
    }

    /// The ids of the cards in a piece of markup, in order.
    private func cards(_ html: some StringProtocol) -> [String] {
        html.split(separator: "<article ").dropFirst().compactMap { piece in
            piece.firstRange(of: "id=\"op-").map { String(piece[$0.upperBound...].prefix { $0 != "\"" }) }
        }
    }

    @Test func `a page has every card, with those that the text leaves out where nobody sees them`() throws {
        let fixture = try Fixture()
        var frame = PageFrame()
        frame.arrangement = Arrangement(parameters: ["text": "nothing"], pins: Arrangement.Pins("watch"))
        let none = fixture.pages.document(.board(fixture.script.board), cursor: Fixture.cursor, frame: frame)
        #expect(cards(none).sorted() == ["copy", "watch"])
        let hidden = try #require(none.split(separator: "data-group=\"!\"").last)
        #expect(cards("<" + hidden).sorted() == ["copy", "watch"])
        #expect(none.contains("<p id=\"no-match\" class=\"muted\">"))
        frame.arrangement = Arrangement(parameters: [:], pins: Arrangement.Pins("watch"))
        let pinned = fixture.pages.document(.board(fixture.script.board), cursor: Fixture.cursor, frame: frame)
        #expect(cards(pinned) == ["watch", "copy"])
        #expect(pinned.contains("id=\"op-watch-pin\" aria-pressed=\"true\" aria-label=\"Pin Watch\""))
        #expect(pinned.contains("id=\"no-match\" class=\"muted\" hidden"))
    }

    @Test func `each choice leads to the overview with the others kept`() throws {
        let fixture = try Fixture(mountPath: "/ops")
        var frame = PageFrame()
        frame.arrangement = Arrangement(parameters: ["text": "copy", "sort": "change", "density": "compact"])
        let html = fixture.pages.document(.board(fixture.script.board), cursor: Fixture.cursor, frame: frame)
        #expect(html.contains("href=\"/ops/?text=copy&amp;sort=name&amp;density=compact\""))
        #expect(html.contains("href=\"/ops/?text=copy&amp;sort=change\" aria-current=\"true\""))
        #expect(html.contains("data-query=\"?text=copy&amp;sort=change&amp;density=compact\""))
        #expect(html.contains("1 of 2 operations"))
        #expect(!html.contains("group=tag"), "there are no tags")
    }

    @Test func `groups are offered where an operation has a tag, and left again also where none has any more`() throws {
        func page(tags: Set<String>, _ parameters: [String: String]) throws -> String {
            var catalog = Catalog()
            for (id, tags) in [("copy", []), ("archive", tags)] {
                catalog.add(CopyOperation(), id: id, title: id, summary: "Copies things.", tags: tags)
            }
            var frame = PageFrame()
            frame.arrangement = Arrangement(parameters: parameters)
            let pages = PageRenderer(catalog: catalog, templates: try TemplateSet())
            return pages.document(.board(BoardScript(catalog).board), cursor: Fixture.cursor, frame: frame)
        }
        #expect(try page(tags: ["files"], [:]).contains("href=\"/?group=tag\""))
        #expect(try !page(tags: [], [:]).contains("group=tag"))
        for tags in [[], ["files"]] as [Set<String>] {
            #expect(try page(tags: tags, ["group": "tag"]).contains("href=\"/\" aria-current=\"true\""))
        }
    }

    @Test func `a change of state says so on its card, by which a browser moves it`() throws {
        var fixture = try Fixture()
        let opened = fixture.script.open("r", "copy", try StateRecord(CopyState.waiting))
        let page = LivePage(.board)
        let writer = fixture.pages.writer(.english)
        #expect(writer.card("copy", of: fixture.script.board.operation("copy"))["changed"] as? String == "1")
        let patches = fixture.pages.patches(for: opened, page: page)
        #expect(patches.contains { "\($0)".contains("data-changed") })
        let moved = try #require(fixture.script.move("r", try StateRecord(CopyState.samples[5])))
        #expect(fixture.pages.patches(for: moved, page: page).contains { "\($0)".contains("data-changed") })
    }

    @Test func `many operations are a table by tag, unless the reader chooses otherwise`() throws {
        func page(_ count: Int, _ parameters: [String: String]) throws -> String {
            var catalog = Catalog()
            for number in 0..<count {
                catalog.add(
                    CopyOperation(), id: "job-\(number)", title: "Job", summary: "Copies.", tags: ["files"])
            }
            var frame = PageFrame()
            frame.arrangement = Arrangement(parameters: parameters)
            let pages = PageRenderer(catalog: catalog, templates: try TemplateSet())
            return pages.document(.board(BoardScript(catalog).board), cursor: Fixture.cursor, frame: frame)
        }
        let (few, many) = (try page(12, [:]), try page(13, [:]))
        #expect(!few.contains("grid compact") && !few.contains("data-group=\"files\""))
        #expect(many.contains("grid compact") && many.contains("data-group=\"files\""))
        #expect(many.contains("href=\"/?density=cards\"") && many.contains("href=\"/?group=none\""))
        let other = try page(13, ["density": "cards", "group": "none"])
        #expect(!other.contains("grid compact") && !other.contains("data-group=\"files\""))
        #expect(other.contains("href=\"/?group=none\"") && other.contains("href=\"/?density=cards\""))
    }

    @Test func `a card has the ends of the latest runs, the oldest first`() throws {
        var fixture = try Fixture()
        for (index, state) in [CopyState.failed(message: "No."), .stopped, .done(target: "a", isWhole: true, ratio: 1)]
            .enumerated()
        {
            _ = fixture.script.open("r\(index)", "copy", try StateRecord(CopyState.waiting))
            _ = fixture.script.move("r\(index)", try StateRecord(state), after: 10)
        }
        let writer = fixture.pages.writer(.english)
        let outcomes = try #require(
            writer.card("copy", of: fixture.script.board.operation("copy"))["outcomes"] as? Fields)
        #expect(outcomes["bad"] as? String == "M3 12v-12" && outcomes["ok"] as? String == "M19 12v-4")
        #expect(outcomes["words"] as? String == "Last 3 ends, oldest first; failed: 1")
        #expect(writer.card("copy", of: nil)["outcomes"] as? Fields == nil)
    }
}
