import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import WeirBoards
import WeirFlows
import WeirJournals
import WeirPages
import WeirStates

/// The files that a run keeps: their list, and each as a download, a page with its contents, or an inert document.
struct RunArtifacts {
    private static let pieceSize = 256 * 1_024

    let dashboard: AudienceDashboard

    func list(of run: String) async throws(Problem) -> Response {
        let artifacts = try await record(run).artifacts
        return try .json([
            "artifacts": .array(
                artifacts.map { artifact in
                    [
                        "name": .string(artifact.name), "bytes": .integer(artifact.bytes),
                        "type": .string(ArtifactType(artifact.filename).mediaType),
                        "url": .string(
                            dashboard.mount.url("api/v1/runs/\(run)/artifacts/")
                                + PercentEncoding.encode(artifact.name, keeping: "/")),
                        "server": artifact.server.map(JSONValue.string) ?? .null,
                    ]
                })
        ])
    }

    /// Sends a file as a download; in a browser, with `show=page` as a page, and with `show=inline` as an inert document.
    func show(_ name: String, of run: String, _ exchange: Exchange) async throws(Problem) -> Response {
        let shown = try shown(exchange)
        let record = try await record(run)
        guard let index = record.artifacts.firstIndex(where: { $0.name == name }) else {
            throw .notFound(.noArtifact, ["name": .text(String(name.prefix(200)))])
        }
        let artifact = record.artifacts[index]
        let type = ArtifactType(artifact.filename)
        guard let (file, bytes) = try await open(index, artifact, of: run) else {
            if let server = artifact.server, server != dashboard.board.nodes.first(where: \.isThis)?.node.name {
                throw .notFound(.artifactAt, ["server": .text(server)])
            }
            throw .notFound(dashboard.board.isShared ? .artifactElsewhere : .artifactGone)
        }
        if shown == .page { return try await page(artifact, of: record, type, file, bytes, exchange) }
        var headers: HTTPFields = [.cacheControl: "no-store", .contentLength: "\(bytes)"]
        let filename = "filename*=UTF-8''" + PercentEncoding.encode(artifact.filename)
        if shown == .inline, let inert = type.inert {
            headers[.contentType] = inert.mediaType
            headers[.contentSecurityPolicy] = inert.policy
            headers[.contentDisposition] = "inline; " + filename
        } else {
            headers[.contentType] = type.mediaType
            headers[.contentSecurityPolicy] = ArtifactType.closed
            headers[.contentDisposition] = "attachment; " + filename
        }
        return try stream(file, bytes, headers, exchange)
    }

    private enum Shown: String {
        case page, inline
    }

    private func shown(_ exchange: Exchange) throws(Problem) -> Shown? {
        if case .api = exchange.route { return nil }
        try exchange.target.query.check(["show", "lang"])
        guard let text = exchange.target.query["show"] else { return nil }
        guard let shown = Shown(rawValue: text) else {
            throw .malformedQuery("show", .queryEither, ["values": .either(["inline", "page"])])
        }
        return shown
    }

    private func record(_ run: String) async throws(Problem) -> RunRecord {
        do { return try await dashboard.board.run(run).record } catch { throw Problem(error) }
    }

    /// Opens a file, and returns its size; nil if it is not on this server.
    private func open(
        _ index: Int, _ artifact: Artifact, of run: String
    ) async throws(Problem) -> (file: FileHandle, bytes: Int64)? {
        guard let store = dashboard.board.artifacts else { return nil }
        return try await WorkPool.artifacts.answer {
            guard let file = store.open(index, named: artifact.name, run: run) else { return nil }
            guard let bytes = try? file.seekToEnd(), (try? file.seek(toOffset: 0)) != nil else { return nil }
            return (file, Int64(clamping: bytes))
        }
    }

    /// Streams a file; a piece is read only after the client has received the one before.
    private func stream(
        _ file: FileHandle, _ bytes: Int64, _ headers: HTTPFields, _ exchange: Exchange
    ) throws(Problem) -> Response {
        let right = exchange.right
        let share = dashboard.answers.share()
        guard share.grow(by: BodyBudget.freeAnswer + 2 * Self.pieceSize) else { throw .crowdedAnswers }
        return Response(
            status: .ok, headers: headers,
            body: ResponseBody { writer in
                defer { withExtendedLifetime(share) {} }
                var sent: Int64 = 0
                while sent < bytes {
                    let count = min(Self.pieceSize, Int(clamping: bytes - sent))
                    let piece = try await WorkPool.artifacts.run { try file.read(upToCount: count) ?? Data() }
                    // An incomplete body aborts the connection, so that clients notice.
                    guard !piece.isEmpty else { throw CocoaError(.fileReadCorruptFile) }
                    try right?.check()
                    try await writer.write(ByteBuffer(bytes: piece))
                    sent += Int64(piece.count)
                }
                try await writer.finish(nil)
            })
    }

    private func page(
        _ artifact: Artifact, of record: RunRecord, _ type: ArtifactType, _ file: FileHandle, _ bytes: Int64,
        _ exchange: Exchange
    ) async throws(Problem) -> Response {
        let body: PageArtifact.Body =
            switch type.preview {
            case .image: .image
            case .document: .document
            case .table, .text:
                try await WorkPool.artifacts.answer {
                    let start = (try? file.read(upToCount: PageArtifact.limit)) ?? Data()
                    return PageArtifact.Body(start, isCut: bytes > Int64(start.count), separator: type.separator)
                }
            }
        let page = PageArtifact(run: record, artifact: artifact, body: body)
        let frame = exchange.frame(dashboard)
        return try await .page(for: exchange) { [renderer = dashboard.renderer] in
            renderer.artifact(page, frame: frame)
        }
    }
}
