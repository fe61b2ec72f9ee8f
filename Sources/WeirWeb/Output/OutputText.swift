import HTTPTypes
import Hummingbird
import NIOCore
import WeirBoards
import WeirJournals
import WeirStates

/// Sends a run's output so far as a text file, including escape sequences; with `line`, that line, with all its pieces.
///
/// Each page of lines is read only after the client has received the one before. If the journal fails midway, the connection is
/// aborted, so that clients detect the truncation.
struct OutputText {
    /// The maximum number of lines read at a time; fewer if lines are long.
    private static let pageLength = 1_000
    /// The approximate size of a written chunk, in bytes.
    private static let pieceSize = 64 * 1_024
    /// The memory used per client: the lines of one page and one chunk.
    private static let memory = Board.answerBytes + pieceSize

    let dashboard: AudienceDashboard

    func show(_ run: String, _ exchange: Exchange) async throws(Problem) -> Response {
        let (board, right) = (dashboard.board, exchange.right)
        try exchange.target.query.check(["line", "lang"])
        let line = try exchange.target.query.place("line")
        let share = dashboard.answers.share()
        guard share.grow(by: BodyBudget.freeAnswer + Self.memory) else { throw .crowdedAnswers }
        let last: SequenceNumber
        do {
            last = try await board.outputTail(of: run).head
            // Detect errors of the journal before the response head is sent.
            _ = try await board.output(of: run, limit: 1)
        } catch {
            throw Problem(error)
        }
        if let line, line == 0 || line > last {
            throw .notFound(.noLine, ["line": .text("\(line)"), "last": .text("\(last)")])
        }
        var headers: HTTPFields = [.contentType: "text/plain; charset=utf-8", .cacheControl: "no-store"]
        if line == nil { headers[.contentDisposition] = "attachment; filename=\"run-\(run).txt\"" }
        return Response(
            status: .ok, headers: headers,
            body: ResponseBody { writer in
                defer { withExtendedLifetime(share) {} }
                var end = line?.previous ?? .zero
                var piece = ByteBuffer()
                var joiner = OutputJoiner()
                var single = line.map { _ in SingleLine() }
                while end < last, single?.isComplete != true {
                    let lines = try await board.output(of: run, after: end, limit: Self.pageLength)
                    guard let next = lines.last?.number else { break }
                    for line in lines where line.number <= last && single?.takes(line) != false {
                        piece.writeString(joiner.text(line.text, on: line.channel, continues: line.continues))
                        guard piece.readableBytes >= Self.pieceSize else { continue }
                        try right?.check()
                        try await writer.write(piece)
                        piece.clear()
                    }
                    end = next
                }
                try right?.check()
                if piece.readableBytes > 0 { try await writer.write(piece) }
                try await writer.finish(nil)
            })
    }
}

/// Selects the pieces of the line that begins with the first one.
private struct SingleLine {
    private var channel: OutputChannel?
    private(set) var isComplete = false

    mutating func takes(_ line: OutputLine) -> Bool {
        guard !isComplete, channel == nil || channel == line.channel else { return false }
        channel = line.channel
        isComplete = !line.continues
        return true
    }
}
