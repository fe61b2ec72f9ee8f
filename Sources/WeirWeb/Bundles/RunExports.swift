import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import WeirBoards
import WeirJournals
import WeirPages
import WeirStates

/// Runs as a file to download, written as it is read from the journal.
struct RunExports {
    /// How many bytes are sent in one piece, about.
    private static let pieceSize = 64 * 1_024

    let dashboard: AudienceDashboard

    /// One run, as far as it has come.
    func show(_ run: String, _ exchange: Exchange) async throws(Problem) -> Response {
        let slot = try slot()
        // Told before the first byte is sent; afterwards an error could only cut the answer off.
        do { _ = try await dashboard.board.run(run) } catch { throw Problem(error) }
        let board = dashboard.board
        return download("weir-run-\(run).jsonl", RunTableFormat.bundle.mediaType, slot, exchange.right) { write in
            _ = try await board.export(run, write: write)
        }
    }

    /// The runs of a list, whatever the length of its pages.
    func list(_ exchange: Exchange) async throws(Problem) -> Response {
        var query = try query(exchange)
        (query.before, query.beyond) = (nil, nil)
        if let id = query.operation, dashboard.board.catalog[id] == nil, case .api = exchange.route {
            throw .unknownOperation(id)
        }
        let format = exchange.target.query["format"]
        guard let format = format.map(RunTableFormat.init(rawValue:)) ?? .bundle else {
            throw .malformedQuery("format", .queryEither, ["values": .either(["csv", "json", "jsonl"])])
        }
        let slot = try slot()
        let stamp = Timestamp(milliseconds: dashboard.clock.wall).description.prefix(19).filter { $0 != ":" }
        let (board, found) = (dashboard.board, query)
        let titles = dashboard.renderer.titles(exchange.locale)
        return download("weir-runs-\(stamp).\(format.rawValue)", format.mediaType, slot, exchange.right) { write in
            guard let table = RunTable(format, titles: titles) else {
                return _ = try await board.export(found, write: write)
            }
            try await table.write(found, of: board, write)
        }
    }

    /// The right to write an export: each one reads the journal and waits for its client.
    private func slot() throws(Problem) -> ConcurrencyLimit.Slot {
        guard let slot = dashboard.exports.take() else { throw .tooManyExports(dashboard.exports.maximum) }
        return slot
    }

    /// The API's own parameters, or those of the page's filters.
    private func query(_ exchange: Exchange) throws(Problem) -> RunQuery {
        if case .api = exchange.route { return try RunQuery(exchange.target.query) }
        let filter = RunFilter(parameters: exchange.target.query.dictionary)
        if let field = filter.mistakenField {
            throw .malformedQuery(field, .queryFilter)
        }
        return RunsPage(dashboard: dashboard).query(filter, exchange)
    }

    /// An answer that is written as its lines come; one that breaks off lacks the end that an import looks for.
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
                // The client went away, or the journal does not answer.
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
