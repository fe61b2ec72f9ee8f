import Boards
import HTTPTypes
import Hummingbird
import Journals
import NIOCore

/// All lines that a run printed so far, as a text to keep: as they were printed, escape sequences and all.
///
/// It is sent while it is read, so many lines at a time, however many there are. Where the journal fails in between, the
/// connection breaks off, so that a part is never taken for the whole.
struct OutputText {
    /// How many lines are read at a time.
    private static let pageLength = 1_000

    let dashboard: AudienceDashboard

    func show(_ run: String, _ exchange: Exchange) async throws(Problem) -> Response {
        let (board, right) = (dashboard.board, exchange.right)
        let first: [OutputLine]
        let last: SequenceNumber
        do {
            last = try await board.outputTail(of: run).head
            first = try await board.output(of: run, limit: Self.pageLength)
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
                var lines = first
                while let end = lines.last?.number {
                    try right?.check()
                    try await writer.write(Self.text(of: lines.prefix { $0.number <= last }))
                    lines =
                        end < last ? try await board.output(of: run, after: end, limit: Self.pageLength) : []
                }
                try await writer.finish(nil)
            })
    }

    /// The lines with their ends; what was cut because it is long is in one piece again.
    private static func text(of lines: some Sequence<OutputLine>) -> ByteBuffer {
        var text = ByteBuffer()
        for line in lines {
            text.writeString(line.text)
            if !line.continues { text.writeInteger(UInt8(ascii: "\n")) }
        }
        return text
    }
}
