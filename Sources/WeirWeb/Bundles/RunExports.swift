import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import WeirAccess
import WeirBoards
import WeirFlows
import WeirJournals
import WeirPages
import WeirStates

struct RunExports {
    /// The approximate size of a written chunk, in bytes.
    private static let pieceSize = 64 * 1_024

    let dashboard: AudienceDashboard

    func show(_ run: String, _ exchange: Exchange) async throws(Problem) -> Response {
        let slot = try slot()
        // Detect errors before the first byte; afterwards an error can only truncate the body.
        do { _ = try await dashboard.board.run(run) } catch { throw Problem(error) }
        let board = dashboard.board
        return download("weir-run-\(run).jsonl", RunListExportFormat.bundle.mediaType, slot, exchange.right) { write in
            _ = try await board.export(run, write: write)
        }
    }

    /// Exports all runs of a filtered list, ignoring its paging.
    func list(_ exchange: Exchange) async throws(Problem) -> Response {
        var query = try query(exchange)
        (query.before, query.after, query.beyond) = (nil, nil, nil)
        if let id = query.operation, dashboard.board.catalog[id] == nil, case .api = exchange.route {
            throw .unknownOperation(id)
        }
        let format = exchange.target.query["format"]
        guard let format = format.map(RunListExportFormat.init(rawValue:)) ?? .bundle else {
            throw .malformedQuery("format", .queryEither, ["values": .either(["csv", "json", "jsonl"])])
        }
        let shown = exchange.target.query.fields.map { "\($0.name)=\($0.value)" }.joined(separator: " ")
        exchange.notes.add("\(format.rawValue), filter: \(shown.isEmpty ? "none" : shown)")
        let slot = try slot()
        let stamp = Timestamp(milliseconds: dashboard.clock.wall).description.prefix(19).filter { $0 != ":" }
        let (board, found) = (dashboard.board, query)
        let titles = dashboard.renderer.titles(exchange.locale)
        return download("weir-runs-\(stamp).\(format.rawValue)", format.mediaType, slot, exchange.right) { write in
            guard let table = RunListExport(format, titles: titles) else {
                return _ = try await board.export(found, write: write)
            }
            try await table.write(found, of: board, write)
        }
    }

    /// Limits concurrent exports, since each one reads the journal at the pace of its client.
    private func slot() throws(Problem) -> ConcurrencyLimit.Slot {
        guard let slot = dashboard.exports.take() else { throw .tooManyExports(dashboard.exports.maximum) }
        return slot
    }

    private func query(_ exchange: Exchange) throws(Problem) -> RunQuery {
        let filter = dashboard.filter(exchange.target.query, exchange.locale, beside: ["format"])
        return try RunsPage(dashboard: dashboard).query(filter.firstPage, exchange)
    }

    /// Streams the exported lines; a truncated export lacks the end marker that an import requires.
    private func download(
        _ filename: String, _ mediaType: String, _ slot: ConcurrencyLimit.Slot, _ right: HeldRight?,
        _ export: @escaping @Sendable (_ write: (String) async throws -> Void) async throws -> Void
    ) -> Response {
        let logger = dashboard.logger
        let body = ResponseBody { writer in
            defer { slot.release() }
            var piece = ByteBuffer()
            do {
                try await export { line in
                    piece.writeString(line)
                    piece.writeString("\n")
                    guard piece.readableBytes >= Self.pieceSize else { return }
                    try right?.check()
                    try await writer.write(piece)
                    piece.clear()
                }
            } catch {
                // The client disconnected, or the journal failed.
                logger.info("An export was interrupted.", metadata: ["cause": "\(Quoted(error))"])
                throw error
            }
            try right?.check()
            if piece.readableBytes > 0 { try await writer.write(piece) }
            try await writer.finish(nil)
        }
        let headers: HTTPFields = [
            .contentType: mediaType, .cacheControl: "no-store",
            .contentDisposition: "attachment; filename=\"\(filename)\"",
        ]
        return Response(status: .ok, headers: headers, body: body)
    }
}

enum RunListExportFormat: String {
    /// Comma-separated values (RFC 4180), for spreadsheets.
    case csv
    case json
    /// All changes, which another server can import.
    case bundle = "jsonl"

    var mediaType: String {
        switch self {
        case .csv: "text/csv; charset=utf-8"
        case .json: "application/json"
        case .bundle: "application/jsonl"
        }
    }
}

struct RunListExport {
    /// The maximum number of runs read at a time; fewer if runs are large.
    private static let page = 200

    private let isCSV: Bool
    private let titles: [String: String]

    /// Creates a writer; returns nil for a bundle, which contains more than the list.
    init?(_ format: RunListExportFormat, titles: [String: String]) {
        guard format != .bundle else { return nil }
        isCSV = format == .csv
        self.titles = titles
    }

    /// Writes the runs of a query that the audience may export, in order and without line terminators.
    ///
    /// Throws errors of `write`, and `unavailable` when the journal cannot be read.
    func write(
        _ query: RunQuery, of board: VisibleBoard, _ write: (String) async throws -> Void
    ) async throws {
        var query = query
        query.limit = Self.page
        var isFirst = true
        try await write(isCSV ? Self.row(RunField.columns) : "{\"runs\": [")
        while true {
            let page = try await board.answer(query, allowing: .export)
            let texts = try await WorkPool.bulk.run {
                try page.runs.map { try isCSV ? Self.row(RunField.cells(of: $0, titles)) : $0.json.text() }
            }
            for text in texts {
                try await write(isCSV || isFirst ? text : "," + text)
                isFirst = false
            }
            guard page.next != nil, let last = page.runs.last else { break }
            query = query.following(last)
        }
        if !isCSV { try await write("]}") }
    }

    /// A row with its carriage return; the caller adds the line feed.
    static func row(_ cells: [String]) -> String { cells.map(cell).joined(separator: ",") + "\r" }

    /// Characters that start a formula in spreadsheets, with their full-width forms.
    private static let formulas = "=+-@\t\r\n\u{FF1D}\u{FF0B}\u{FF0D}\u{FF20}".unicodeScalars

    /// A quoted cell; an apostrophe prefix keeps spreadsheets from evaluating the value as a formula.
    static func cell(_ value: String) -> String {
        let isFormula = value.unicodeScalars.first.map(formulas.contains)
        let isNumber = Double(value) != nil
        let text = isFormula == true && !isNumber ? "'" + value : value
        guard text.unicodeScalars.contains(where: { "\",\r\n'".unicodeScalars.contains($0) }) else { return text }
        return "\"" + text.replacing("\"", with: "\"\"") + "\""
    }
}
