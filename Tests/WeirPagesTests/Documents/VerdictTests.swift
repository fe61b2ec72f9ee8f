import MarkupTesting
import Testing
import WeirStates

@testable import WeirPages

/// How a run's page tells how the run ended, and what it shows of other runs.
@Suite struct VerdictTests {
    private func page(_ id: String, in fixture: Fixture) throws -> MarkupDocument {
        let run = try #require(fixture.script.runs[id])
        var frame = PageFrame(path: "/runs/\(id)")
        frame.surroundings = RunSurroundings(of: run, on: fixture.script.board)
        let html = fixture.pages.document(.run(run), cursor: Fixture.cursor, frame: frame)
        #expect(Markup.check(html, as: .document).isEmpty)
        return try MarkupDocument(html, as: .document)
    }

    private func text(_ id: String, on page: MarkupDocument) throws -> String {
        try #require(try page.elements("//*[@id='\(id)']").first).text.replacing("\u{A0}", with: " ")
    }

    private func end(_ id: String, _ state: CopyState, in fixture: inout Fixture) throws {
        _ = fixture.script.open(id, "copy", try StateRecord(CopyState.waiting))
        _ = fixture.script.move(id, try StateRecord(CopyState.reading(bytes: 1, total: 2)), after: 2_000)
        _ = fixture.script.move(id, try StateRecord(state), after: 45)
    }

    @Test func `a failed run begins with how it failed, where and after how long, without the time that it waited`()
        throws
    {
        var fixture = try Fixture()
        try end("a1", .failed(message: "The disk is full."), in: &fixture)
        let page = try page("a1", in: fixture)
        #expect(try text("run-verdict", on: page) == "Failed after 45 ms at “Reading”: The disk is full.")
        #expect(try text("run-took", on: page) == " · waited 2.0 s · ran 45 ms")
        #expect(try !text("run-a1-state", on: page).contains("The disk is full."), "it is said once")
        let order = try page.elements("//main//*[@id]").compactMap { $0["id"] }
        let places = ["run-verdict", "run-acts", "run-a1-state", "origin", "past", "more"]
        #expect(order.filter(places.contains) == places)
    }

    @Test func `a message that is too long for one line is in the state`() throws {
        var fixture = try Fixture()
        let message = String(repeating: "long ", count: 100)
        try end("a1", .failed(message: message), in: &fixture)
        let page = try page("a1", in: fixture)
        #expect(try text("run-verdict", on: page) == "Failed after 45 ms at “Reading”.")
        #expect(try text("run-a1-state", on: page).contains(message.dropLast()))
    }

    @Test func `a failed program is introduced by the line that it printed last, and its exit code follows`()
        throws
    {
        var fixture = try Fixture()
        _ = fixture.script.open("a1", "copy", try StateRecord(CopyState.waiting))
        let payload: JSONValue = ["message": "It ended with exit code 1.", "last": "No rate.", "code": 1]
        _ = fixture.script.move("a1", StateRecord(caseName: "failed", payload: payload, phase: .failed), after: 45)
        let page = try page("a1", in: fixture)
        #expect(try text("run-verdict", on: page).hasSuffix(": No rate."))
        #expect(try text("run-a1-state", on: page).contains("It ended with exit code 1."))
    }

    @Test func `a failure names the failures in a row and compares with the last success`() throws {
        var fixture = try Fixture()
        try end("a1", .done(target: "a", isWhole: true, ratio: 1), in: &fixture)
        for id in ["a2", "a3", "a4"] { try end(id, .failed(message: "No."), in: &fixture) }
        let page = try page("a3", in: fixture)
        #expect(try text("run-around", on: page).contains("2 failures in a row"))
        #expect(
            try page.elements("//*[@id='run-around']//a").map { $0["href"] } == ["/operations/copy/compare?a=a1&b=a3"])
        #expect(try self.page("a1", in: fixture).elements("//*[@id='run-around']/*").isEmpty)
    }

    @Test func `a queued run tells how many runs are in front, and which is the first`() throws {
        var fixture = try Fixture()
        for id in ["a1", "a2", "a3"] { _ = fixture.script.open(id, "copy", try StateRecord(CopyState.waiting)) }
        #expect(try text("run-around", on: page("a3", in: fixture)).contains("Runs in front: 2, the first is a1"))
        #expect(try page("a1", in: fixture).elements("//*[@id='run-around']/*").isEmpty)
    }

    @Test func `a run can be tried again after a failure and started again after a success`() throws {
        var fixture = try Fixture()
        try end("a1", .done(target: "a", isWhole: true, ratio: 1), in: &fixture)
        try end("a2", .failed(message: "No."), in: &fixture)
        #expect(try page("a1", in: fixture).elements("//*[@id='retry-a1']/button").map(\.text) == ["Start again"])
        #expect(try page("a2", in: fixture).elements("//*[@id='retry-a2']/button").map(\.text) == ["Try again"])
    }
}
