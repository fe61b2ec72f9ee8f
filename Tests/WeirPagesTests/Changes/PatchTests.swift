import Foundation
import Testing
import TestSupport
import WeirAccess
import WeirBoards
import WeirJournals
import WeirStates
@testable import WeirPages

@Suite struct PatchTests {
    // K8
    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `a page that took every patch is the page rendered anew`(seed: UInt64) throws {
        let locale = seed.isMultiple(of: 2) ? PageLocale.brazilianPortuguese : .english
        for topic in [
            PageTopic.board, .runs, .operation("copy"), .operation("watch"), .run("r0"), .run("r3"), .stores,
            .store("door"),
        ] {
            try follow(LivePage(topic, locale), seed: seed)
        }
    }

    private func follow(_ page: LivePage, seed: UInt64) throws {
        var fixture = try Fixture()
        var random = SeededGenerator(seed: seed)
        var tree: PageTree?
        for step in 0..<90 {
            guard let publication = try Self.step(step, &fixture.script, &random) else { continue }
            let content = PageContent(publication, for: page.topic)
            let patches = fixture.pages.patches(for: publication, page: page)
            if let tree {
                for patch in patches { try tree.apply(patch) }
            }
            guard let content else { continue }
            var frame = PageFrame(locale: page.locale)
            if case .run(let run) = content { frame.surroundings = RunSurroundings(of: run, on: publication.board) }
            let html = fixture.pages.region(content, cursor: Fixture.cursor, frame: frame)
            let fresh = try #require(PageTree(html))
            if let tree { try #require(tree.canonical == fresh.canonical, "\(page) step \(step)") }
            tree = tree ?? fresh
        }
        #expect(tree != nil)
    }

    @Test(arguments: [5, 6] as [UInt64])
    func `what a change sends does not depend on which changes were rendered before`(seed: UInt64) throws {
        var fixture = try Fixture()
        var random = SeededGenerator(seed: seed)
        let topics = [
            PageTopic.board, .runs, .operation("copy"), .operation("watch"), .run("r0"), .stores, .store("door"),
        ]
        for step in 0..<90 {
            guard let publication = try Self.step(step, &fixture.script, &random) else { continue }
            for topic in topics where Int.random(in: 0..<4, using: &random) > 0 {
                let page = LivePage(topic)
                let fresh = fixture.pages.restricted(to: fixture.catalog, permissions: .everything)
                let patches = fresh.patches(for: publication, page: page)
                // Twice: several ask for the same at the same moment.
                for _ in 0..<2 {
                    try #require(fixture.pages.patches(for: publication, page: page) == patches, "\(page) \(step)")
                }
            }
        }
    }

    private static func step(
        _ step: Int, _ script: inout BoardScript, _ random: inout SeededGenerator
    ) throws -> Publication? {
        if step % 3 == 1 {
            let state = try StateRecord(try #require(DoorState.samples.randomElement(using: &random)))
            let effects = Fixture.effects.filter { _ in Bool.random(using: &random) }
            return script.act("door", state, StoreStep(.action, action: .init(name: "close"), effects: effects))
        }
        let going = script.runs.values.filter { $0.record.endedAt == nil }.map(\.record.id).sorted()
        if step % 20 == 0 || going.isEmpty || Int.random(in: 0..<4, using: &random) == 0 {
            let isCopy = Bool.random(using: &random) || step == 0
            let state = isCopy ? try StateRecord(CopyState.waiting) : try StateRecord(WatchState.starting)
            return script.open(
                "r\(script.runs.count)", isCopy ? "copy" : "watch", state, input: ["name": .string("n\(step)")])
        }
        guard let id = going.randomElement(using: &random), let run = script.runs[id] else { return nil }
        let state =
            if run.record.operation == "copy" {
                try StateRecord(try #require(CopyState.samples.randomElement(using: &random)))
            } else {
                try StateRecord(try #require(WatchState.samples.randomElement(using: &random)))
            }
        return script.move(id, state, cause: "cancelled by x", after: Int64.random(in: 1...5_000, using: &random))
    }

    @Test func `a store's page keeps its newest steps and effects, change by change`() throws {
        var fixture = try Fixture()
        let door = PageContent.store(try #require(fixture.script.board.store("door")))
        let tree = try #require(PageTree(fixture.pages.region(door, cursor: Fixture.cursor, frame: PageFrame())))
        for step in 0..<130 {
            let state = try StateRecord(DoorState.samples[step % 3])
            let change = StoreStep(.action, action: .init(name: "close"), actor: "Ana", effects: Fixture.effects)
            guard let publication = fixture.script.act("door", state, change) else { continue }
            for patch in fixture.pages.patches(for: publication, page: LivePage(.store("door"))) {
                try tree.apply(patch)
            }
        }
        let view = try #require(fixture.script.board.store("door"))
        let html = fixture.pages.region(.store(view), cursor: Fixture.cursor, frame: PageFrame())
        #expect(tree.canonical == PageTree(html)?.canonical)
        #expect(tree.element(id: "entries")?.elements.count == 100 && tree.element(id: "effects")?.elements.count == 50)
    }

    @Test func `a list whose template is not well-formed is sent with all its rows and options`() throws {
        let row = "<tr id=\"{{rowID}}\"><td>{{short}}<p></td></tr>"
        let choice =
            "<form id=\"compare\"><p><select id=\"compare-a\">{{#firsts}}<option>{{state}}</option>{{/firsts}}</select></form>"
        var fixture = try Fixture(overlay: ["partials/row.mustache": row, "partials/choice.mustache": choice])
        for number in 0..<5 { _ = fixture.script.open("r\(number)", "copy", try StateRecord(CopyState.waiting)) }
        let page = LivePage(.operation("copy"))
        let opening = fixture.script.open("r5", "copy", try StateRecord(CopyState.waiting))
        let move = try #require(fixture.script.move("r5", try StateRecord(CopyState.samples[1])))
        for (publication, rows) in [(opening, 5), (move, nil)] {
            let patches = fixture.pages.patches(for: publication, page: page)
            let html = { (id: String) in
                patches.compactMap { patch -> String? in
                    guard patch.replaces([id]), case .text(let html) = patch.members[2] else { return nil }
                    return html
                }.first
            }
            #expect(try #require(html("compare")).components(separatedBy: "<option>").count == 7)
            #expect(html("earlier").map { $0.components(separatedBy: "<tr ").count - 1 } == rows)
        }
    }

    @Test func `what was rendered after a change is not rendered again before the next`() throws {
        var fixture = try Fixture()
        _ = fixture.script.open("r", "copy", try StateRecord(CopyState.waiting))
        let changes = try [1, 3, 4].compactMap { fixture.script.move("r", try StateRecord(CopyState.samples[$0])) }
        let renderings = LatestRenderings()
        var rendered: [String] = []
        for publication in changes {
            let patcher = PagePatcher(
                writer: fixture.pages.writer(.english), publication: publication, page: LivePage(.run("r")),
                renderings: renderings)
            let patches = patcher.changed("run-r", \.run) { (run: RunView) -> TrustedHTML in
                rendered.append(run.record.state.caseName)
                return TrustedHTML("<p id=\"run-r\">\(run.record.state.caseName)</p>")
            }
            #expect(patches == [.text(id: "run-r", publication.change.state.caseName)])
        }
        #expect(rendered == ["waiting", "reading", "writing", "done"])
    }

    @Test func `a run that begins after another takes over its scrubber, of which is sent only what differs`() throws {
        var fixture = try Fixture()
        _ = fixture.script.open("r0", "copy", try StateRecord(CopyState.waiting))
        let opening = fixture.script.open("r1", "copy", try StateRecord(CopyState.waiting))
        let patches = fixture.pages.patches(for: opening, page: LivePage(.operation("copy")))
        #expect(patches.contains(.attributes(id: "scrub-run", ["value": "r1"])))
        #expect(!patches.contains { $0.replaces(["scrubber", "scrub"]) })
    }

    @Test func `a tick sends what differs in the state, the title, and nothing else`() throws {
        var fixture = try Fixture()
        _ = fixture.script.open("r", "copy", try StateRecord(CopyState.waiting))
        _ = fixture.script.move("r", try StateRecord(CopyState.samples[1]))
        let tick = try #require(fixture.script.move("r", try StateRecord(CopyState.reading(bytes: 700, total: 1_000))))
        let ids = { (topic: PageTopic) in
            fixture.pages.patches(for: tick, page: LivePage(topic)).map(\.target)
        }
        let gauge = { (uid: String) in ["\(uid)-m0", "\(uid)-gauge", "\(uid)-gauge-done", "\(uid)-gauge-part"] }
        #expect(ids(.board) == gauge("op-copy") + gauge("works-r").dropFirst())
        #expect(ids(.operation("copy")) == gauge("run-r") + ["page-title"])
        #expect(ids(.run("r")) == gauge("run-r") + ["page-title"])
        #expect(ids(.runs) == [])
        #expect(ids(.run("other")) == [])
        #expect(ids(.operation("watch")) == [])
    }

    @Test func `a tick for which the axis has become too short brings the timeline and the scrubber to scale`() throws {
        var fixture = try Fixture()
        _ = fixture.script.open("r", "copy", try StateRecord(CopyState.waiting))
        _ = fixture.script.move("r", try StateRecord(CopyState.samples[1]))
        let reading = CopyState.reading(bytes: 700, total: 1_000)
        let tick = try #require(fixture.script.move("r", try StateRecord(reading), after: 60_000))
        let ids = fixture.pages.patches(for: tick, page: LivePage(.run("r"))).map(\.target)
        let state = ["run-r-m0", "run-r-gauge", "run-r-gauge-done", "run-r-gauge-part"]
        // The scale of steps stays as it is: no step has come.
        // Nor is the width of the current state's bar sent: the client widens it.
        let strip = ["strip", "2", "range"].map { "scrub-time-\($0)" }
        #expect(ids == state + ["t0-l", "t1-l"] + strip + ["page-title"])
    }

    @Test func `a patch is written as the protocol says`() throws {
        let html = "<p id=\"b\"/>"
        let patches: [Patch] = [
            .morph(id: "b", html: html), .morph(id: "b", html: html).asOptional, .append(to: "a", html: html),
            .prepend(to: "a", html: html), .insert(before: "a", html: html), .remove(id: "a"),
            .remove(id: "a").asOptional, .text(id: "a", "b"), .attributes(id: "a", ["b": "c", "a": nil]),
        ]
        #expect(
            patches.map(\.json) == [
                ["m", "b", .string(html)], ["m", "b", .string(html), 1], ["a", "a", .string(html)],
                ["p", "a", .string(html)], ["b", "a", .string(html)], ["r", "a"], ["r", "a"], ["t", "a", "b"],
                ["s", "a", ["a": nil, "b": "c"]],
            ])
    }
}
