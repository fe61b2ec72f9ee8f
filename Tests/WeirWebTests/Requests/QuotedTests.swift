import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Testing
import TestSupport
import WeirAccess
@testable import WeirBoards
import WeirJournals
@testable import WeirStates

@testable import WeirWeb

/// What from outside reaches a line of the log.
@Suite(.timeLimit(.minutes(15))) struct QuotedTests {
    @Test(arguments: [
        ("Ana", #""Ana""#), ("x runs=99 actor=root", #""x runs=99 actor=root""#), ("a\"b", #""a\"b""#),
        ("a\\", #""a\\""#), ("a\nb\r\t", #""a\nb\r\t""#), ("\u{202E}x", #""\u{202e}x""#),
        ("\u{9B}31m", #""\u{9b}31m""#),
        ("\u{1B}[2J", #""\u{1b}[2J""#), ("\u{2028}", #""\u{2028}""#), ("é 李", #""é 李""#), ("", #""""#),
        ("a\u{A0}b", #""a\u{a0}b""#),
    ])
    func `whatever it is, it is one quoted word`(text: String, quoted: String) {
        #expect(Quoted(text).description == quoted)
    }

    @Test func `a line of the log does not grow with what is sent`() {
        #expect(Quoted(String(repeating: "a", count: 100_000)).description.count == Quoted.limit + 3)
    }

    @Test func `a name cannot forge fields of the line that an import leaves`() async throws {
        let log = CapturedLog(level: .trace)
        let journal = MemoryJournal()
        let board = try await Board.open(catalog: Catalog(), journal: journal)
        var configuration = WebConfiguration()
        configuration.acceptsClaimedActors = true
        let dashboard = try Dashboard(board: board, configuration: configuration, logger: log.logger)
        var file = ""
        _ = try await board.export(RunQuery()) { file += $0 + "\n" }
        let head = HTTPRequest(
            method: .post, scheme: "http", authority: "localhost", path: "/api/v1/imports",
            headerFields: [.contentType: "application/jsonl", .weirActor: "x runs=99 actor=root"])
        let nobody = FixedAuthenticator(.localOperator, control: AccessControl())
        let check = AccessCheck(control: nobody.control, isOpen: true) { _, _ in .askRoute }
        let answer = await dashboard.respond(
            to: Request(head: head, body: RequestBody(buffer: ByteBuffer(string: file))),
            .authorized(nobody.authorization), check: check)
        #expect(answer.status == .ok)
        let line = log.lines.first { $0.contains("imported") }
        #expect(line?.contains(#"actor="x runs=99 actor=root""#) == true, "\(line ?? "")")
        await board.shutdown()
    }
}
