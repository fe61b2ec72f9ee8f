import Boards
import Foundation
import HTTPTypes
import Hummingbird
import Journals
import Logging
import States

/// Taking in runs that another server, or this one, exported.
struct RunImports {
    private static let accepted = "multipart/form-data, application/jsonl, application/octet-stream"

    let dashboard: Dashboard

    func create(_ exchange: Exchange) async throws(Problem) -> Response {
        let file = try await receive(exchange)
        let report: ImportReport
        do {
            report = try await dashboard.board.importRuns { try file.lines() }
        } catch {
            throw Problem(error)
        }
        dashboard.logger.info(
            "Runs were imported.",
            metadata: ["runs": "\(report.imported.count)", "actor": "\(exchange.actor)"])
        return try answer(report, exchange)
    }

    private func answer(_ report: ImportReport, _ exchange: Exchange) throws(Problem) -> Response {
        let runs = report.imported + report.skipped
        let location = dashboard.mount.url(runs.count == 1 ? "runs/" + (runs.first ?? "") : "runs")
        guard case .api = exchange.route else {
            return try exchange.wantsJSON ? .json(["location": .string(location)]) : .seeOther(location)
        }
        let list = { (ids: [String]) in JSONValue.array(ids.map(JSONValue.string)) }
        return try .json(
            [
                "imported": list(report.imported), "skipped": list(report.skipped),
                "interrupted": list(report.unfinished), "changes": .integer(Int64(report.changes)),
                "lines": .integer(Int64(report.lines)),
            ], status: report.imported.isEmpty ? .ok : .created)
    }

    // MARK: The file

    /// The whole body, or the file of a form, on the disk.
    private func receive(_ exchange: Exchange) async throws(Problem) -> SpooledFile {
        let limit = dashboard.configuration.maximumUploadBytes
        var body = BodyReader(exchange.request, limit: limit)
        if let limit, body.announced ?? 0 > limit { throw .tooLarge(limit: limit) }
        guard let type = MediaType(exchange.header(.contentType)), !type.isForm else {
            throw .unsupportedMediaType(accepted: Self.accepted)
        }
        let file: SpooledFile
        do { file = try SpooledFile(in: dashboard.configuration.spoolFolder) } catch { throw .unspooled }
        guard type.isMultipart else {
            do {
                while let piece = try await body.next() { try file.append(piece) }
            } catch let failure as UploadFailure {
                throw body.problem(failure)
            } catch {
                throw .unspooled
            }
            return file
        }
        guard var form = MultipartReader(body, boundary: type.parameters["boundary"]) else {
            throw .malformedBody(MultipartMistake.noBoundary.detail)
        }
        try await receive(&form, into: file)
        return file
    }

    private func receive(_ form: inout MultipartReader, into file: SpooledFile) async throws(Problem) {
        do {
            guard try await form.fields(limit: dashboard.configuration.maximumBodyBytes).file != nil else {
                throw Problem.malformedBody("No file was sent. Choose one that was exported, and send it again.")
            }
            while let piece = try await form.piece() { try file.append(piece) }
            try await form.finish()
        } catch let problem as Problem {
            throw problem
        } catch let failure as MultipartReader.Failure {
            switch failure {
            case .mistake(let mistake): throw .malformedBody(mistake.detail)
            case .transport(let failure): throw form.body.problem(failure)
            }
        } catch {
            throw .unspooled
        }
    }
}

extension Problem {
    /// The disk did not take the file.
    fileprivate static let unspooled = Problem(
        "unavailable", .serviceUnavailable, "Unavailable",
        "The file could not be kept while it was received: there may be no space left. Try again in a while.",
        headers: [.retryAfter: "5"], closes: true)
}
