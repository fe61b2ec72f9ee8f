import HTTPTypes
import Hummingbird
import NIOCore
import WeirBoards
import WeirJournals

/// All lines that a run printed so far, as a text to keep: as they were printed, escape sequences and all.
///
/// It is sent while it is read, as much at a time as one answer has, and no more is read before its client has taken that. Where
/// the journal fails in between, the connection breaks off, so that a part is never taken for the whole.
struct OutputText {
    /// How many lines are read at a time, fewer of long ones.
    private static let pageLength = 1_000
    /// How many bytes are sent in one piece, about.
    private static let pieceSize = 64 * 1_024
    /// What is in memory while a client reads: the lines that were read, and the piece that is sent.
    private static let memory = Board.answerBytes + pieceSize

    let dashboard: AudienceDashboard

    func show(_ run: String, _ exchange: Exchange) async throws(Problem) -> Response {
        let (board, right) = (dashboard.board, exchange.right)
        let share = dashboard.answers.share()
        guard share.grow(by: BodyBudget.freeAnswer + Self.memory) else { throw .crowdedAnswers }
        let last: SequenceNumber
        do {
            last = try await board.outputTail(of: run).head
            // What is wrong with the journal is told before the first byte is sent.
            _ = try await board.output(of: run, limit: 1)
        } catch {
            throw Problem(error)
        }
        let headers: HTTPFields = [
            .contentType: "text/plain; charset=utf-8", .cacheControl: "no-store",
            .contentDisposition: "attachment; filename=\"run-\(run).txt\"",
        ]
        return Response(
            status: .ok, headers: headers,
            body: ResponseBody { writer in
                defer { withExtendedLifetime(share) {} }
                var end = SequenceNumber.zero
                var piece = ByteBuffer()
                while end < last {
                    let lines = try await board.output(of: run, after: end, limit: Self.pageLength)
                    guard let next = lines.last?.number else { break }
                    for line in lines where line.number <= last {
                        // What was cut because it is long is in one piece again.
                        piece.writeString(line.text)
                        if !line.continues { piece.writeInteger(UInt8(ascii: "\n")) }
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
