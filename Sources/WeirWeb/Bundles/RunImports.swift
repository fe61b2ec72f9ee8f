import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import WeirBoards
import WeirJournals
import WeirStates

struct RunImports {
    /// The maximum number of concurrent uploads; imports run one at a time.
    static let maximumReceived = 4
    /// The maximum number of concurrent uploads of one principal, so that no principal blocks the others.
    static let maximumReceivedOfOne = 2

    let dashboard: AudienceDashboard

    func create(_ exchange: Exchange) async throws(Problem) -> Response {
        // Refuse before the client sends the file.
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
        let restores = try restoresDeleted(exchange)
        let file = try await receive(exchange)
        let line = dashboard.configuration.maximumImportLine
        let report: ImportReport
        do {
            report = try await dashboard.board.importRuns(restoringDeleted: restores) { try file.lines(limit: line) }
        } catch {
            throw Problem(error)
        }
        exchange.notes.add("imported: \(AuditNotes.words(report.imported))")
        exchange.notes.add("skipped: \(AuditNotes.words(report.skipped))")
        if !report.deleted.isEmpty { exchange.notes.add("deleted here: \(AuditNotes.words(report.deleted))") }
        dashboard.logger.info(
            "Runs were imported.",
            metadata: ["runs": "\(report.imported.count)", "actor": "\(Quoted(exchange.actor))"])
        return try answer(report, exchange)
    }

    private func restoresDeleted(_ exchange: Exchange) throws(Problem) -> Bool {
        switch exchange.target.query["deleted"] {
        case nil, "skip": return false
        case "restore": return true
        default: throw .malformedQuery("deleted", .queryEither, ["values": .either(["skip", "restore"])])
        }
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
                "deleted": list(report.deleted), "interrupted": list(report.unfinished),
                "changes": .integer(Int64(report.changes)),
                "lines": .integer(Int64(report.lines)),
            ], status: report.imported.isEmpty ? .ok : .created)
    }

    // MARK: The file

    /// Spools the request's body, or the file of a form, to disk.
    private func receive(_ exchange: Exchange) async throws(Problem) -> SpooledFile {
        let limit = dashboard.configuration.maximumImportBytes
        var body = BodyReader(exchange, limit: limit, budget: dashboard.bodies)
        if body.announced ?? 0 > limit { throw .importTooLarge(limit: limit) }
        guard let type = ContentType(exchange.header(.contentType)), !type.isForm else {
            throw .unsupportedMediaType(
                accepted: "multipart/form-data", "application/jsonl", "application/octet-stream")
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
    fileprivate static let receivingImports = Problem(
        "importing", .serviceUnavailable, "Importing", .receivingImports, headers: [.retryAfter: "5"], closes: true)

    fileprivate static let receivingOwnImports = Problem(
        "importing", .serviceUnavailable, "Importing", .receivingOwnImports, headers: [.retryAfter: "5"], closes: true)

    fileprivate static let unspooled = Problem(
        "unavailable", .serviceUnavailable, "Unavailable",
        .unstoredImport,
        headers: [.retryAfter: "5"], closes: true)
}

/// A temporary file, unlinked right after it is opened, so that nothing remains even if the process crashes.
final class SpooledFile: Sendable {
    private let handle: FileHandle

    init(in folder: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let url = folder.appending(path: "spool-" + UUID().uuidString.lowercased())
        try Data().write(to: url, options: .withoutOverwriting)
        handle = try FileHandle(forUpdating: url)
        try FileManager.default.removeItem(at: url)
    }

    func append(_ bytes: ByteBuffer) throws { try handle.write(contentsOf: Data(bytes.readableBytesView)) }

    /// Reads the file from its start in pieces of `size` bytes; supports one reader at a time.
    func pieces(of size: Int) throws -> () throws -> ByteBuffer? {
        try handle.seek(toOffset: 0)
        return { [self] in
            guard let piece = try handle.read(upToCount: size), !piece.isEmpty else { return nil }
            return ByteBuffer(bytes: piece)
        }
    }

    /// Reads the file from its start line by line, each at most `limit` bytes; supports one reader at a time.
    func lines(limit: ByteCount) throws -> @Sendable () throws -> String? {
        try handle.seek(toOffset: 0)
        let reader = LineReader(handle, limit: limit)
        return { [self] in
            try withExtendedLifetime(self) { try reader.next() }
        }
    }
}
