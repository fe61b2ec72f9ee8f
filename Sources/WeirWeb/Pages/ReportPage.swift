import Foundation
import HTTPTypes
import Hummingbird
import WeirBoards
import WeirFlows
import WeirJournals
import WeirPages
import WeirStates

/// What happened in a period: a page, CSV and JSON; without a query, the last seven days.
struct ReportPage {
    private static let usual: Int64 = 7 * 86_400_000

    let dashboard: AudienceDashboard

    func show(_ exchange: Exchange) async throws(Problem) -> Response {
        let query = exchange.target.query
        try query.check(["from", "to", "period", "format"])
        let format = query["format"] ?? ""
        guard ["", "csv"].contains(format) else {
            throw .malformedQuery("format", .queryEither, ["values": "csv"])
        }
        let report = try await report(exchange)
        if format == "csv" { return try await csv(report) }
        let frame = exchange.frame(dashboard)
        return try await .page(for: exchange) { [renderer = dashboard.renderer] in
            renderer.report(report, frame: frame)
        }
    }

    func list(_ exchange: Exchange) async throws(Problem) -> Response { try .json(try await report(exchange).json) }

    private func report(_ exchange: Exchange) async throws(Problem) -> PeriodReport {
        let query = exchange.target.query
        let filter = RunFilter(parameters: ["from": query["from"] ?? "", "to": query["to"] ?? ""])
        if let mistake = filter.mistake { throw Problem(mistake) }
        let zone = dashboard.board.zone
        let (from, to) = try bounds(filter, query["period"], zone)
        let read: (runs: [RunRecord], isCut: Bool, missed: [PeriodReport.MissedStart])
        let attempts: [AttemptCount]
        do {
            read = try await dashboard.board.reportedPeriod(from: from, to: to)
            // Of a period whose oldest runs are not read, only the part that is read.
            let counted = read.isCut ? max(from, read.runs.last?.startedAt ?? from) : from
            attempts = try await dashboard.board.reportedAttempts(from: counted, to: to)
        } catch { throw Problem(error) }
        let (runs, isCut, missed) = read
        return try await WorkPool.pages.answer {
            PeriodReport(from: from, to: to, runs: runs, isCut: isCut, missed: missed, attempts: attempts, zone: zone)
        }
    }

    private func bounds(
        _ filter: RunFilter, _ period: String?, _ zone: TimeZone
    ) throws(Problem) -> (from: Timestamp, to: Timestamp) {
        let now = Timestamp(milliseconds: dashboard.clock.wall)
        if let period {
            guard let known = ReportPeriod(rawValue: period), filter.from.isEmpty, filter.to.isEmpty else {
                let names = ReportPeriod.allCases.map(\.rawValue).joined(separator: ", ")
                throw .malformedQuery("period", .queryEither, ["values": "\(names)"])
            }
            return known.bounds(at: now, in: zone)
        }
        let asked = filter.query(asOf: RunOrder.Moment(at: now, head: dashboard.board.feed.head(of: .board)))
        let to = asked.startedBefore ?? now
        return (min(asked.startedAfter ?? to.before(Self.usual), to), to)
    }

    private func csv(_ report: PeriodReport) async throws(Problem) -> Response {
        let text = try await WorkPool.pages.answer { [catalog = dashboard.board.catalog] in
            report.table(catalog).map { RunListExport.row($0) + "\n" }.joined()
        }
        var response = Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
        response.headers[.contentType] = RunListExportFormat.csv.mediaType
        response.headers[.contentDisposition] = "attachment; filename=\"report.csv\""
        return response
    }
}

extension PeriodReport {
    /// The columns of the CSV file, in the order of its cells.
    private static let columns = [
        "operation", "failed", "stopped", "ended", "medianSeconds", "medianSecondsBefore", "slower", "newestFailure",
        "part", "name", "count", "time", "message",
    ]

    /// The rows of the CSV file: each part of the page, of which `part` is the name.
    func table(_ catalog: Catalog) -> [[String]] {
        let seconds = { (duration: Int64?) in duration.map { String(Double($0) / 1_000) } ?? "" }
        let counts = { (figures: OperationHealth.Figures) in
            [
                "failed": "\(figures.failed)", "stopped": "\(figures.stopped)", "ended": "\(figures.ended)",
                "medianSeconds": seconds(figures.p50),
            ]
        }
        var rows = self.rows.map { row in
            counts(row.figures).merging([
                "part": "operation", "operation": row.operation, "medianSecondsBefore": seconds(row.before.p50),
                "slower": row.isSlower ? "yes" : "no", "newestFailure": row.newestFailure?.id ?? "",
                "message": row.newestFailure.flatMap { $0.state.lastWords ?? $0.state.sentence } ?? "",
            ]) { $1 }
        }
        rows.append(
            counts(figures).merging(["part": "all", "medianSecondsBefore": seconds(before.p50)]) { $1 })
        rows += attempts.filter { $0.attempt > 1 }.map {
            ["part": "attempt", "name": "\($0.attempt)", "count": "\($0.count)"]
        }
        rows += missed.map {
            [
                "part": "missed", "operation": $0.operation, "count": "\($0.count)", "time": $0.time.description,
                "message": $0.refusal ?? "",
            ]
        }
        rows += errors.map {
            [
                "part": "message", "operation": $0.newest.operation, "count": "\($0.count)",
                "newestFailure": $0.newest.id, "message": $0.sentence ?? $0.caseName,
            ]
        }
        for (part, groups) in [("tag", tags(in: catalog)), ("person", actors)] {
            rows += groups.map {
                ["part": part, "name": $0.name, "failed": "\($0.failed)", "ended": "\($0.ended)"]
            }
        }
        return [Self.columns] + rows.map { row in Self.columns.map { row[$0] ?? "" } }
    }
}

extension PeriodReport {
    fileprivate var json: JSONValue {
        [
            "from": .string(from.description), "to": .string(to.description), "isCut": .bool(isCut),
            "timezone": .string(zone.name), "figures": figures.json, "before": before.json,
            "operations": .array(
                rows.map { row in
                    [
                        "operation": .string(row.operation), "figures": row.figures.json, "before": row.before.json,
                        "slower": .bool(row.isSlower),
                        "newestFailure": row.newestFailure.map { .string($0.id) } ?? .null,
                    ]
                }),
            "actors": .array(
                actors.map { actor in
                    [
                        "actor": .string(actor.name), "ended": .integer(Int64(actor.ended)),
                        "failed": .integer(Int64(actor.failed)),
                    ]
                }),
            "errors": .array(errors.map(\.json)),
            "attempts": .array(
                attempts.map { ["attempt": .integer($0.attempt), "count": .integer(Int64($0.count))] }),
            "missed": .array(
                missed.map { missed in
                    [
                        "operation": .string(missed.operation), "time": .string(missed.time.description),
                        "count": .integer(Int64(missed.count)),
                        "refusal": missed.refusal.map(JSONValue.string) ?? .null,
                    ]
                }),
        ]
    }
}
