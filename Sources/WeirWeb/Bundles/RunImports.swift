import Foundation
import HTTPTypes
import Hummingbird
import Logging
import WeirBoards
import WeirJournals
import WeirStates

/// Taking in runs that another server, or this one, exported.
struct RunImports {
    /// How many files may be received at a time; one is imported at a time.
    static let maximumReceived = 4
    /// How many of them one principal may send, so that nobody keeps all others from importing.
    static let maximumReceivedOfOne = 2

    private static let accepted = "multipart/form-data, application/jsonl, application/octet-stream"

    let dashboard: AudienceDashboard

    func create(_ exchange: Exchange) async throws(Problem) -> Response {
        // Said before the file is sent, and not only after it.
        guard !dashboard.board.isImporting else {
            var problem = Problem(BoardError.importing)
            problem.closes = true
            throw problem
        }
        guard let slot = dashboard.imports.take(for: exchange.principalKey) else {
            let isOwn = exchange.principalKey.map(dashboard.imports.isShareTaken) ?? false
            throw isOwn ? .receivingOwnImports : .receivingImports
        }
        defer { slot.release() }
        let file = try await receive(exchange)
        let line = dashboard.configuration.maximumImportLine
        let report: ImportReport
        do {
            report = try await dashboard.board.importRuns { try file.lines(limit: line) }
        } catch {
            throw Problem(error)
        }
        dashboard.logger.info(
            "Runs were imported.",
            metadata: ["runs": "\(report.imported.count)", "actor": "\(Quoted(exchange.actor))"])
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
        let limit = dashboard.configuration.maximumImportBytes
        var body = BodyReader(exchange, limit: limit, budget: dashboard.bodies)
        if body.announced ?? 0 > limit { throw .importTooLarge(limit: limit) }
        guard let type = ContentType(exchange.header(.contentType)), !type.isForm else {
            throw .unsupportedMediaType(accepted: Self.accepted)
        }
        let file: SpooledFile
        do { file = try SpooledFile(in: dashboard.configuration.spoolFolder) } catch { throw .unspooled }
        guard type.isMultipart else {
            do {
                while let piece = try await body.next() { try file.append(piece) }
            } catch let failure as UploadFailure {
                throw problem(failure)
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

    private func problem(_ failure: UploadFailure) -> Problem {
        let limit = dashboard.configuration.maximumImportBytes
        if failure == .tooLarge(limit: limit) { return .importTooLarge(limit: limit) }
        return Problem(stoppedBy: failure) ?? .stalled
    }

    private func receive(_ form: inout MultipartReader, into file: SpooledFile) async throws(Problem) {
        do {
            guard try await form.fields(limit: dashboard.configuration.maximumBodyBytes).file != nil else {
                throw Problem.malformedBody(.noImport)
            }
            while let piece = try await form.piece() { try file.append(piece) }
            try await form.finish()
        } catch let problem as Problem {
            throw problem
        } catch let failure as MultipartReader.Failure {
            switch failure {
            case .mistake(let mistake): throw .malformedBody(mistake.detail)
            case .transport(let failure): throw problem(failure)
            }
        } catch {
            throw .unspooled
        }
    }
}

extension Problem {
    /// As many files as may be are arriving.
    fileprivate static let receivingImports = Problem(
        "importing", .serviceUnavailable, "Importing", .receivingImports, headers: [.retryAfter: "5"], closes: true)

    /// As many files as one may send are arriving of whoever asks.
    fileprivate static let receivingOwnImports = Problem(
        "importing", .serviceUnavailable, "Importing", .receivingOwnImports, headers: [.retryAfter: "5"], closes: true)

    /// The disk did not take the file.
    fileprivate static let unspooled = Problem(
        "unavailable", .serviceUnavailable, "Unavailable",
        .unstoredImport,
        headers: [.retryAfter: "5"], closes: true)
}
