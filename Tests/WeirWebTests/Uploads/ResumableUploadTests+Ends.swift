import Foundation
import Logging
import Testing
import TestSupport
import WeirBoards
import WeirJournals
import WeirOperations
import WeirPages
import WeirStates

@testable import WeirWeb

/// How uploads end: whole, given up, forgotten, refused.
extension ResumableUploadTests {
    /// The place of an upload of which three of six bytes came before its server went away.
    private static func interrupted(in folder: URL) async throws -> String {
        let place = Shared("")
        try await run(in: folder) { server in
            place.value = try await create(server, length: 6).place
            #expect(try await patch(server, place.value, at: "0", "abc").status == 204)
        }
        return place.value
    }

    /// An upload that is too old as soon as it has begun, removed, and nothing of it left.
    private static func isRemoved(by remove: @escaping @Sendable (TestServer) -> Void) async throws {
        var limits = UnfinishedUploadLimits()
        limits.age = -1_000_000_000_000
        try await run(limits: limits) { server in
            let (place, _) = try await create(server, length: 6)
            remove(server)
            #expect(try await head(server, place).status == 410)
            let folder = server.dashboard.services.configuration.spoolFolder.appending(path: "uploads")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        }
    }

    @Test func `deleting an upload cancels its run, and it is gone`() async throws {
        try await Self.run { server in
            let (place, run) = try await Self.create(server, length: 8)
            #expect(try await Self.patch(server, place, at: "0", "abc").status == 204)
            #expect(try await server.ask("DELETE", place, headers: [Self.version], body: "").status == 204)
            #expect(try await Self.end(server, run)["phase"] == "cancelled")
            for method in ["HEAD", "PATCH", "DELETE"] {
                let answer = try await server.ask(
                    method, place,
                    headers: [Self.version, "Upload-Offset: 3", "Content-Type: application/offset+octet-stream"],
                    body: method == "HEAD" ? nil : "")
                #expect(answer.status == 410, "\(method)")
            }
            #expect(try await Self.head(server, Self.uploads + "/never").status == 404)
            #expect(try await Self.head(server, Self.uploads + "/..%2f..%2fetc").status == 400)
        }
    }

    @Test func `cancelling the run ends the upload`() async throws {
        try await Self.run { server in
            let (place, run) = try await Self.create(server, length: 8)
            _ = try await server.board.cancel(run, actor: "test")
            try await until { try await Self.patch(server, place, at: "0", "abc").status == 410 }
        }
    }

    @Test func `an upload goes on after the server was away, as a run of its own`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "weir-test-" + UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let place = try await Self.interrupted(in: folder)
        try await Self.run(in: folder) { server in
            #expect(try await Self.head(server, place)["upload-offset"] == "3")
            #expect(try await Self.patch(server, place, at: "3", "def").status == 204)
            let run = try #require(server.board.view().recentRuns.first?.record.id)
            #expect(try await Self.end(server, run)["state"]?["bytes"] == 6)
        }
    }

    @Test func `a run whose sender stays away ends in words, and the upload goes on as another run`() async throws {
        var limits = UnfinishedUploadLimits()
        limits.silence = 0
        try await Self.run(limits: limits) { server in
            let (place, run) = try await Self.create(server, length: 6)
            #expect(try await Self.patch(server, place, at: "0", "abc").status == 204)
            server.dashboard.services.resumable.sweep()
            let ended = try await Self.end(server, run)
            #expect(ended["phase"] == "failed")
            #expect(ended["state"]?["message"]?.string?.contains("3 of 6 bytes have arrived and are kept") == true)
            #expect(try await Self.patch(server, place, at: "3", "def").status == 204)
            try await until {
                server.board.view().recentRuns.contains { $0.record.state.phase == .succeeded }
            }
            #expect(try await server.board.runs(.init()).runs.count == 2)
        }
    }

    @Test func `what nobody continued is removed`() async throws {
        try await Self.isRemoved { $0.dashboard.services.resumable.sweep() }
    }

    @Test func `what expired while the server was away is removed soon, without anybody asking for it`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "weir-test-" + UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        _ = try await Self.interrupted(in: folder)
        let files = { try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "uploads").path) }
        #expect(try !files().isEmpty)
        var limits = UnfinishedUploadLimits()
        limits.age = -1_000_000_000_000
        let clock = ManualClock()
        try await Self.run(in: folder, limits: limits, clock: clock) { _ in clock.advance(by: 5_000) }
        #expect(try files().isEmpty)
    }

    @Test func `what expires while the server goes on is removed as soon, however long it has gone on`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "weir-test-" + UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        _ = try await Self.interrupted(in: folder)
        let uploads = folder.appending(path: "uploads").path
        let files = { @Sendable () throws -> [String] in
            try FileManager.default.contentsOfDirectory(atPath: uploads)
        }
        let clock = ManualClock()
        try await Self.run(in: folder, clock: clock) { _ in
            clock.advance(by: 60_000)
            let before = try files()
            #expect(!before.isEmpty)
            clock.set(wallBy: 1_000_000_000_000)
            clock.advance(by: 5_000)
            let after = try files()
            #expect(after.isEmpty)
        }
    }

    @Test func `an upload that comes back too late is over, and its bytes are removed at once`() async throws {
        try await Self.isRemoved { _ in }
    }

    @Test func `an upload whose run ended with the server can be deleted`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "weir-test-" + UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let place = try await Self.interrupted(in: folder)
        try await Self.run(in: folder) { server in
            let deleted = try await server.ask("DELETE", place, headers: [Self.version], body: "")
            #expect(deleted.status == 204)
            #expect(try await Self.head(server, place).status == 410)
        }
    }

    @Test func `of the uploads that are over, the thousand that ended last are remembered`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "weir-test-" + UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let uploads = ResumableUploads(
            folder: folder, limits: UnfinishedUploadLimits(), clock: ManualClock(), logger: Logger(label: "test"))
        for number in 0...1_000 {
            let upload = ResumableUpload(
                id: "u\(number)", operation: "keep", owner: "ana", length: 1, metadata: nil, input: [:])
            _ = try uploads.create(upload)
            uploads.remove(upload.id)
        }
        func kind(_ id: String) -> String? {
            do throws(Problem) {
                _ = try uploads.find(id, of: "keep", owner: "ana")
                return nil
            } catch {
                return error.kind
            }
        }
        #expect(kind("u0") == Problem.unknownUpload.kind)
        #expect(kind("u1") == Problem.uploadOver.kind && kind("u1000") == Problem.uploadOver.kind)
    }

    @Test func `an upload is named by letters, digits and hyphens, and so by no file of another folder`() {
        let longest = String(repeating: "z", count: 64)
        for name in ["a", "0Az-9", longest] { #expect(ResumableUpload.isID(name), "\(name)") }
        for name in ["", "a/b", "../a", "a.b", "a b", "\u{E4}", "a\u{0}", longest + "z"] {
            #expect(!ResumableUpload.isID(name), "\(name)")
        }
    }

    @Test func `how many, and how much, one may have begun is limited`() async throws {
        var limits = UnfinishedUploadLimits()
        limits.count = 2
        limits.bytes = 100
        try await Self.run(limits: limits) { server in
            let headers = [Self.version, Self.metadata]
            for length in ["101", "9223372036854775807"] {
                let much = try await server.ask(
                    "POST", Self.uploads, headers: headers + ["Upload-Length: \(length)"], body: "")
                #expect(much.status == 429)
            }
            let (place, _) = try await Self.create(server, length: 50)
            let more = try await server.ask("POST", Self.uploads, headers: headers + ["Upload-Length: 51"], body: "")
            #expect(more.status == 429)
            _ = try await Self.create(server, length: 50)
            let third = try await server.ask("POST", Self.uploads, headers: headers + ["Upload-Length: 0"], body: "")
            #expect(third.status == 429)
            _ = try await server.ask("DELETE", place, headers: [Self.version], body: "")
            _ = try await Self.create(server, length: 1)
        }
    }

    @Test func `an upload begun twice with one key is one`() async throws {
        try await Self.run { server in
            let first = try await Self.create(server, length: 6, headers: ["Idempotency-Key: k1"])
            let again = try await Self.create(server, length: 6, headers: ["Idempotency-Key: k1"])
            #expect(first == again)
            #expect(try await Self.patch(server, first.place, at: "0", "abcdef").status == 204)
            _ = try await Self.end(server, first.run)
            // Whose run is over is not begun anew, either: its sender has nothing more to send.
            let headers = [Self.version, Self.metadata, "Upload-Length: 6", "Idempotency-Key: k1"]
            try await until {
                let late = try await server.ask("POST", Self.uploads, headers: headers, body: "")
                let run = (try? late.json())?["id"]?.string
                return late.status == 201 && run == first.run && late["upload-offset"] == "6"
            }
            #expect(try await server.board.runs(RunQuery()).runs.count == 1)
        }
    }

    @Test func `an operation without a file takes no upload`() async throws {
        try await Self.run { server in
            let headers = [Self.version, "Upload-Length: 1"]
            let steps = try await server.ask("POST", "/api/v1/operations/steps/uploads", headers: headers, body: "")
            #expect(steps.status == 409)
            let none = try await server.ask("POST", "/api/v1/operations/none/uploads", headers: headers, body: "")
            #expect(none.status == 404)
        }
    }

    @Test func `a secret is never kept on the disk with an upload, and stops none that goes without it`() async throws {
        try await Self.run { server in
            var catalog = server.board.catalog
            catalog.add(
                Keep(more: [InputField("password", "Password", .secret())]), id: "keep", title: "Keep",
                summary: "Keeps a file.")
            try await server.dashboard.replace(catalog, templates: TemplateSet())
            let refused = try await server.ask(
                "POST", Self.uploads,
                headers: [Self.version, "Upload-Length: 6", Self.metadata + ",password aHVudGVyMg=="], body: "")
            #expect(refused.status == 400)
            #expect(try refused.json()["detail"]?.string?.hasPrefix("Upload-Metadata names a secret") == true)
            let (place, run) = try await Self.create(server, length: 6)
            #expect(try await Self.patch(server, place, at: "0", "abcdef").status == 204)
            #expect(try await Self.end(server, run)["case"] == "kept")
        }
    }

    @Test func `what somebody else uploads does not exist`() async throws {
        let known = KnownNames()
        try await Self.run(access: known.access) { server in
            let (place, _) = try await Self.create(server, length: 6, headers: ["X-Test: ada"])
            for method in ["HEAD", "PATCH", "DELETE"] {
                let answer = try await server.ask(
                    method, place,
                    headers: [
                        Self.version, "X-Test: otto", "Upload-Offset: 0",
                        "Content-Type: application/offset+octet-stream",
                    ], body: method == "HEAD" ? nil : "")
                #expect(answer.status == 404, "\(method)")
            }
            #expect(try await Self.head(server, place, headers: ["X-Test: ada"])["upload-offset"] == "0")
        }
    }
}
