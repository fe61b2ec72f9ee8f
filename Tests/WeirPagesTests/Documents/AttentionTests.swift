import MarkupTesting
import Testing
import WeirBoards
@testable import WeirJournals
import WeirOperations
import WeirStates

@testable import WeirPages

/// The runs that need a person, at the top of the overview.
@Suite struct AttentionTests {
    private func overview(_ fixture: Fixture) throws -> MarkupDocument {
        let html = fixture.pages.document(
            .board(fixture.script.board), cursor: Fixture.cursor, frame: PageFrame(path: "/"))
        #expect(Markup.check(html, as: .document).isEmpty)
        return try MarkupDocument(html, as: .document)
    }

    private func end(_ id: String, _ state: CopyState, in fixture: inout Fixture) throws {
        _ = fixture.script.open(id, "copy", try StateRecord(CopyState.waiting))
        _ = fixture.script.move(id, try StateRecord(state), after: 1_000)
    }

    @Test func `an operation that fails is listed with its sentence, the failures in a row and the last success`()
        throws
    {
        var fixture = try Fixture()
        try end("a1", .done(target: "a", isWhole: true, ratio: 1), in: &fixture)
        try end("a2", .failed(message: "The disk is full."), in: &fixture)
        try end("a3", .failed(message: "The disk is full."), in: &fixture)
        let page = try overview(fixture)
        let item = try #require(try page.elements("//*[@id='fails-copy']").first)
        #expect(item.text.contains("The disk is full.") && item.text.contains("2 in a row"))
        #expect(try page.elements("//*[@id='fails-copy']//a[@href='/operations/copy/compare?a=a1&b=a3']").count == 1)
        #expect(try page.elements("//*[@id='fails-copy']//form[@action='/runs/a3/retries']").count == 1)
        #expect(try page.elements("//*[@id='summary-failed']/a[@href='#attention']").count == 1)
    }

    @Test func `the schedule of an operation that fails can be paused on the list and on the run's page`() throws {
        let nightly = try Schedule(cron: "30 3 * * *", timezone: "UTC")
        var fixture = try Fixture(schedule: nightly)
        try end("a1", .failed(message: "No."), in: &fixture)
        func pauses(_ frame: PageFrame) throws -> [Int] {
            let run = try #require(fixture.script.runs["a1"])
            let contents: [PageContent] = [.board(fixture.script.board), .run(run)]
            return try contents.map { content in
                let html = fixture.pages.document(content, cursor: Fixture.cursor, frame: frame)
                #expect(Markup.check(html, as: .document).isEmpty)
                return try MarkupDocument(html, as: .document)
                    .elements("//a[@href='/schedules/copy/pause']").count
            }
        }
        var frame = PageFrame(path: "/")
        #expect(try pauses(frame) == [1, 1])
        frame.pausedSchedules = ["copy"]
        #expect(try pauses(frame) == [0, 0])
    }

    @Test func `a success, and nothing else, takes an operation off the list`() throws {
        var fixture = try Fixture()
        try end("a1", .failed(message: "No."), in: &fixture)
        try end("a2", .stopped, in: &fixture)
        #expect(try overview(fixture).elements("//*[@id='fails-copy']").count == 1)
        _ = fixture.script.open("a3", "copy", try StateRecord(CopyState.waiting))
        let again = try overview(fixture)
        #expect(
            try again.elements("//*[@id='fails-copy']//form[contains(@action, '/retries')]").isEmpty,
            "it is running again")
        _ = fixture.script.move("a3", try StateRecord(CopyState.done(target: "a", isWhole: true, ratio: 1)))
        let calm = try overview(fixture)
        #expect(try calm.elements("//*[@id='fails-copy']").isEmpty)
        #expect(try #require(calm.elements("//*[@id='attention']").first).text.contains("Nothing needs you."))
        #expect(try calm.elements("//*[@id='attention']//a[@href='/runs/a1']").count == 1)
    }

    @Test func `each count of the summary is what the list behind it has`() throws {
        let empty = try Fixture()
        let states = try CopyState.samples.map { try StateRecord($0) } + [.interrupted(after: "reading")]
        for (first, second) in states.flatMap({ first in states.map { (first, $0) } }) {
            for origin in [nil, ChangeOrigin(epoch: "other", sequence: 1)] {
                var fixture = empty
                for (id, state, origin) in [("a1", first, nil), ("a2", second, origin)] {
                    _ = fixture.script.open(id, "copy", try StateRecord(CopyState.waiting), origin: origin)
                    _ = fixture.script.move(id, state)
                }
                let (writer, board) = (fixture.pages.writer(.english), fixture.script.board)
                let failures = writer.attention(of: board).failures.count
                for count in writer.summary(of: board) {
                    guard let url = count.members["url"] as? String else { continue }
                    let listed = [first, second].count { url == "/runs?phase=\($0.phase.rawValue)" }
                    #expect(count.members["count"] as? String == "\(url == "#attention" ? failures : listed)")
                }
            }
        }
    }

    @Test func `a failure reaches an open overview as a patch of the list`() throws {
        var fixture = try Fixture()
        _ = fixture.script.open("a1", "copy", try StateRecord(CopyState.waiting))
        let publication = try #require(fixture.script.move("a1", try StateRecord(CopyState.failed(message: "No."))))
        let patches = fixture.pages.patches(for: publication, page: LivePage(.board))
        #expect(patches.contains { "\($0)".contains("fails-copy") })
    }

    @Test func `active runs are listed with progress, cancellation, and their place in the queue`()
        throws
    {
        var fixture = try Fixture()
        for id in ["a1", "a2"] { _ = fixture.script.open(id, "copy", try StateRecord(CopyState.waiting)) }
        let reading = CopyState.reading(bytes: 5, total: 10)
        let publication = try #require(fixture.script.move("a1", try StateRecord(reading)))
        let page = try overview(fixture)
        let items = try page.elements("//*[@id='working']//li")
        #expect(items.count == 2)
        #expect(try page.elements("//*[@id='works-a1']//progress").count == 1)
        #expect(try page.elements("//*[@id='works-a1']//form[@action='/runs/a1/cancellation']").count == 1)
        #expect(items.last?.text.contains("Runs in front: 1") == true)
        #expect(try page.elements("//*[@id='works-a2']//a[@href='/runs/a1']").count == 1)
        let patches = fixture.pages.patches(for: publication, page: LivePage(.board))
        #expect(patches.contains { "\($0)".contains("works-a1") })
        _ = fixture.script.move("a1", try StateRecord(CopyState.stopped))
        #expect(try overview(fixture).elements("//*[@id='working']//li").count == 1)
    }

    @Test func `the wall shows the place of a queued run and the state of a running one`() throws {
        var fixture = try Fixture()
        for id in ["a1", "a2"] { _ = fixture.script.open(id, "copy", try StateRecord(CopyState.waiting)) }
        _ = fixture.script.move("a1", try StateRecord(CopyState.reading(bytes: 5, total: 10)))
        let html = fixture.pages.document(
            .wall(fixture.script.board), cursor: Fixture.cursor, frame: PageFrame(path: "/wall"))
        let page = try MarkupDocument(html, as: .document)
        #expect(try page.elements("//*[@id='wall-a1-state']//progress").count == 1)
        #expect(try page.elements("//*[@id='wall-a2-state']").first?.text.contains("Runs in front: 1") == true)
    }

    @Test func `of many active runs the first are listed and kept current, and the others are counted`() throws {
        var fixture = try Fixture()
        func tick(_ id: String, _ bytes: Int64) throws -> Bool {
            let state = try StateRecord(CopyState.reading(bytes: bytes, total: 100))
            let moved = fixture.script.move(id, state)
            let publication = try #require(moved)
            return fixture.pages.patches(for: publication, page: LivePage(.board)).contains {
                "\($0)".contains("works-\(id)")
            }
        }
        let ids = (1...25).map { "a\($0)" }
        for id in ids {
            _ = fixture.script.open(id, "copy", try StateRecord(CopyState.waiting))
            _ = try tick(id, 1)
        }
        let page = try overview(fixture)
        // The board has the newest twenty runs of an operation.
        #expect(try page.elements("//*[@id='working']//li").map { $0["id"] } == ids[5..<13].map { "works-\($0)" })
        #expect(try #require(page.elements("//*[@id='working']").first).text.contains("17 more"))
        let shown = try ids.filter { try tick($0, 2) }
        #expect(shown == Array(ids[5..<13]))
    }

    @Test func `an acknowledged failure is listed apart, and an acknowledgement before a success applies no more`()
        throws
    {
        var fixture = try Fixture()
        try end("a1", .failed(message: "No."), in: &fixture)
        let failed = try #require(fixture.script.board.operation("copy")?.latest?.record.openedSequence)
        var frame = PageFrame(path: "/")
        frame.acknowledged["copy"] = Acknowledgement(
            by: "Ana", at: Timestamp(milliseconds: 1), note: "The vendor knows.", until: nil, failure: failed)
        func page() throws -> MarkupDocument {
            let html = fixture.pages.document(
                .board(fixture.script.board), cursor: Fixture.cursor, frame: frame)
            #expect(Markup.check(html, as: .document).isEmpty)
            return try MarkupDocument(html, as: .document)
        }
        #expect(try page().elements("//*[@id='fails-copy']").isEmpty)
        let item = try #require(try page().elements("//*[@id='acknowledged']//li").first)
        #expect(item.text.contains("Ana") && item.text.contains("The vendor knows."))
        #expect(try page().elements("//form[@action='/operations/copy/acknowledgement/end']").count == 1)
        #expect(try page().elements("//*[@id='summary-failed']").isEmpty)
        try end("a2", .failed(message: "No."), in: &fixture)
        #expect(try page().elements("//*[@id='fails-copy']").isEmpty, "it applies to further failures")
        try end("a3", .done(target: "a", isWhole: true, ratio: 1), in: &fixture)
        try end("a4", .failed(message: "No."), in: &fixture)
        #expect(
            try page().elements("//*[@id='fails-copy']//a[@href='/operations/copy/acknowledgement']").count == 1)
    }

    /// A schedule whose latest start was refused at a time of the script.
    private static func refused(at milliseconds: Int64) -> ScheduleStanding {
        let time = Timestamp(milliseconds: milliseconds)
        return ScheduleStanding(
            "", from: time,
            last: .init(time: time, at: time, run: nil, refusal: "At most 1 active run is allowed."))
    }

    @Test
    func `a start that a schedule missed is listed with its reason and can be made up for, paused and acknowledged`()
        throws
    {
        let nightly = try Schedule(cron: "30 3 * * *", timezone: "UTC")
        let fixture = try Fixture(schedule: nightly, scheduledInput: ["name": "nightly", "source": "http://a/"])
        var frame = PageFrame(path: "/")
        frame.withoutStart["copy"] = Self.refused(at: 5_000)
        func page() throws -> MarkupDocument {
            let html = fixture.pages.document(.board(fixture.script.board), cursor: Fixture.cursor, frame: frame)
            #expect(Markup.check(html, as: .document).isEmpty)
            return try MarkupDocument(html, as: .document)
        }
        let item = try #require(try page().elements("//*[@id='unstarted-copy']").first)
        #expect(item.text.contains("Did not start: At most 1 active run is allowed."))
        #expect(item.text.contains("first missed start") && item.text.contains("03:30"))
        let start = "//*[@id='unstarted-copy']//form[@action='/operations/copy/runs']/input[@type='hidden']"
        #expect(try page().elements(start).map { $0["value"] } == ["nightly", "http://a/", "true"])
        #expect(try page().elements("//*[@id='unstarted-copy']//a[@href='/schedules/copy/pause']").count == 1)
        #expect(
            try page().elements("//*[@id='unstarted-copy']//a[@href='/operations/copy/acknowledgement']").count == 1)
        #expect(try page().elements("//*[@id='summary-missed']/a[@href='#attention']").count == 1)
        frame.acknowledged["copy"] = Acknowledgement(
            by: "Ana", at: Timestamp(milliseconds: 1), note: nil, until: nil, failure: 0,
            unstartedSince: Timestamp(milliseconds: 5_000), isOfFailures: false)
        #expect(try page().elements("//*[@id='unstarted-copy']").isEmpty)
        #expect(try page().elements("//*[@id='known-start-copy']").first?.text.contains("the next start") == true)
        frame.withoutStart["copy"] = Self.refused(at: 9_000)
        #expect(try page().elements("//*[@id='unstarted-copy']").count == 1, "another row of missed starts")
    }

    @Test func `the acknowledgement of a missed start hides no failure`() throws {
        var fixture = try Fixture()
        try end("a1", .failed(message: "No."), in: &fixture)
        var frame = PageFrame(path: "/")
        frame.acknowledged["copy"] = Acknowledgement(
            by: "Ana", at: Timestamp(milliseconds: 1), note: nil, until: nil, failure: .max,
            unstartedSince: Timestamp(milliseconds: 5_000), isOfFailures: false)
        let html = fixture.pages.document(.board(fixture.script.board), cursor: Fixture.cursor, frame: frame)
        #expect(try MarkupDocument(html, as: .document).elements("//*[@id='fails-copy']").count == 1)
    }

    @Test func `a run that begins after a missed start takes it off an open overview`() throws {
        var fixture = try Fixture(schedule: try Schedule(cron: "30 3 * * *", timezone: "UTC"))
        _ = fixture.script.open("a1", "copy", try StateRecord(CopyState.waiting))
        _ = fixture.script.move("a1", try StateRecord(CopyState.done(target: "a", isWhole: true, ratio: 1)))
        let missed = try #require(fixture.script.board.operation("copy")?.latest?.record.changedAt)
        let standing = Self.refused(at: missed.milliseconds)
        var writer = fixture.pages.writer(.english)
        writer.withoutStart["copy"] = standing
        #expect(writer.attention(of: fixture.script.board).unstarted.count == 1)
        let publication = fixture.script.open("a2", "copy", try StateRecord(CopyState.waiting))
        let patches = fixture.pages.patches(
            for: publication, page: LivePage(.board), withoutStart: ["copy": standing])
        #expect(patches.contains { "\($0)".contains("Nothing needs you.") })
    }
}
