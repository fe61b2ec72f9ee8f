import MarkupTesting
import Testing
import WeirBoards
import WeirJournals
import WeirOperations
@testable import WeirPages
import WeirStates

@Suite struct MarkupTests {
    // L1
    @Test(arguments: [PageLocale.english, .brazilianPortuguese], ["/", "/ops"])
    func `every page is well-formed and keeps the rules`(locale: PageLocale, mountPath: String) throws {
        var fixture = try Fixture(mountPath: mountPath)
        try fixture.fill()
        var frame = PageFrame(locale: locale, path: "/x?y=1&lang=en", notRecordedSince: .init(milliseconds: 0))
        frame.notices.notices = JournalNotice.Kind.allCases.enumerated().map { number, kind in
            JournalNotice(
                kind, at: .init(milliseconds: Int64(number)), file: "journal.sqlite.damaged-20261121T104200000Z",
                lost: 7...9)
        }
        let mistakes = CopyInput.fields.map { InputMistake(field: $0.name, detail: "is wrong") }
        let draft = FormDraft(values: ["name": "typed"], errors: mistakes, message: Message(verbatim: "Not so."))
        for page in fixture.everyPage(frame) + fixture.everyPage(frame, draft: draft) {
            let problems = Markup.check(page.html, as: .document)
            #expect(problems.isEmpty, "\(page.name): \(problems)")
        }
        let facts = SystemFacts(
            facts: [.init("version", .text("1")), .init("startedAt", .moment(.init(milliseconds: 0)))],
            counts: [.init(operation: "copy", phase: .failed, count: 3)],
            check: .init(
                problems: [TemplateProblem(file: "a.mustache", line: 1, message: "is <wrong>")],
                at: Timestamp(milliseconds: 0)),
            nodes: [true, false].map { isRecording in
                let node = JournalNode(
                    id: "a", name: "<a>", beat: 1, isRecording: isRecording, standing: NodeStanding())
                return NodeView(node: node, isThis: isRecording, isSilent: false)
            })
        #expect(Markup.check(fixture.pages.system(facts, frame: frame), as: .document).isEmpty)
    }

    // L1
    @Test func `every patch is a fragment that keeps the rules`() throws {
        var fixture = try Fixture()
        let opening = fixture.script.open("r", "copy", try StateRecord(CopyState.waiting), input: ["name": "a"])
        let later = try CopyState.samples.compactMap { fixture.script.move("r", try StateRecord($0)) }
        let acted = try DoorState.samples.compactMap { sample in
            fixture.script.act(
                "door", try StateRecord(sample), StoreStep(.action, actor: "Ana", effects: Fixture.effects))
        }
        for publication in [opening] + later + acted {
            for topic in [PageTopic.board, .runs, .operation("copy"), .run("r"), .stores, .store("door")] {
                for patch in fixture.pages.patches(for: publication, page: LivePage(topic)) {
                    // A part of a drawing is no fragment by itself, and a field's label may stand outside of it.
                    guard let html = patch.html, !html.hasPrefix("<rect") else { continue }
                    let rules = [any MarkupRule].all.without("references-resolve", "controls-labelled")
                    let problems = Markup.check(html, as: .fragment, rules: rules)
                    #expect(problems.isEmpty, "\(topic) \(html): \(problems)")
                }
            }
        }
    }

    // L2
    @Test(arguments: [
        "<script>alert(1)</script>", "\"'><img src=x onerror=alert(1)>", "\u{202E}gnp.exe\u{202C}", "👩‍👩‍👧‍👦🇧🇷",
        "\"\u{301} onfocus=alert(1) autofocus=\u{301}\"", "<\u{301}script>", "\u{600}<b>", "a\0b\u{1B}[31mc\u{FFFE}",
        "{{t.nav.runs}}{{{base}}}", "]]><!--", "line\r\nline\u{2028}line",
    ])
    func `hostile text in every field is shown and does nothing`(text: String) throws {
        try show(text)
    }

    // L2
    @Test func `a megabyte of text is shown whole and does nothing`() throws {
        var fixture = try Fixture()
        let text = String(repeating: "<b>&\"", count: 210_000)
        _ = fixture.script.open(
            "r", "copy", StateRecord(caseName: "failed", payload: ["message": .string(text)], phase: .failed))
        let run = try #require(fixture.script.runs["r"])
        let html = fixture.pages.region(.run(run), cursor: Fixture.cursor, frame: PageFrame())
        #expect(Markup.check(html, as: .fragment).isEmpty)
        #expect(html.utf8.count > 4_000_000 && !html.contains("<b>"))
    }

    private func show(_ text: String) throws {
        var fixture = try Fixture()
        let input: JSONValue = ["name": .string(text), "other": [.string(text)], "\(text.prefix(99))": 1]
        _ = fixture.script.open("r", "copy", try StateRecord(CopyState.waiting), input: input, actor: text)
        let states = [
            try StateRecord(CopyState.writing(target: text, part: 1, nested: [text: [1]], note: text)),
            StateRecord(caseName: "stopped", payload: ["\(text.prefix(40))": .string(text)], phase: .cancelled),
        ]
        for state in states {
            _ = fixture.script.move("r", state, cause: text)
            let action = RecordedAction(name: text, payload: ["by": .string(text), text: .string(text)])
            let effects: [RecordedEffect] = [
                .init(.toast(message: text), audience: [text]), .init(.navigation(path: "/" + text)),
                .init(.download(filename: text, mediaType: text, text: text)), .init(.other(name: text, payload: [:])),
            ]
            let door = try StateRecord(DoorState.open(by: text, width: 1))
            _ = fixture.script.act("door", door, StoreStep(.action, action: action, actor: text, effects: effects))
            let draft = FormDraft(
                values: ["name": text, "note": text], errors: [.init(field: "name", detail: text)],
                message: Message(verbatim: text))
            for page in fixture.everyPage(PageFrame(path: "/?" + text.prefix(99)), draft: draft) {
                let problems = Markup.check(page.html, as: .document)
                #expect(problems.isEmpty, "\(page.name): \(problems.prefix(3))")
                #expect(!page.html.contains("<script>") && !page.html.contains("<b>") && !page.html.contains("<img"))
                let quotes = page.html.unicodeScalars.split(separator: "\"")
                #expect(!quotes.contains { $0.first == "\u{301}" }, "\(page.name) lets a quote through")
            }
        }
    }
}

extension Patch {
    fileprivate var html: String? {
        switch self {
        case .morph(_, let html), .append(_, let html), .prepend(_, let html), .insert(_, let html): html
        case .ifPresent(let patch): patch.html
        case .remove, .text, .attributes: nil
        }
    }
}
