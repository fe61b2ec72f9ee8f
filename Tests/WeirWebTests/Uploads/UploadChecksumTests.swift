import Foundation
import NIOCore
import Testing

@testable import WeirWeb

/// What `Upload-Checksum` says, and who writes when two want to.
struct UploadChecksumTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "weir-test-" + UUID().uuidString)

    @Test func `a header is read only in its one spelling`() throws {
        let read = try UploadChecksum("sha256 ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=")
        #expect(read.algorithm == .sha256 && read.digest.count == 32)
        #expect(try UploadChecksum("sha1 Kq5sNclPz7QV2+lfQIuc6R7oRu0=").algorithm == .sha1)
        let spaced = "sha1  Kq5sNclPz7QV2+lfQIuc6R7oRu0="
        for wrong in ["", " ", "sha1", "sha1 ", spaced, "sha1 !!", "sha1 YWJj", " sha1 YWJj"] {
            #expect(throws: UploadChecksum.Mistake.malformed, "\(wrong)") { try UploadChecksum(wrong) }
        }
        for wrong in ["md5 kAFQmDzST7DWlj99KOF/cg==", "SHA1 Kq5sNclPz7QV2+lfQIuc6R7oRu0=", "crc32 AAAA"] {
            #expect(throws: UploadChecksum.Mistake.unknownAlgorithm, "\(wrong)") { try UploadChecksum(wrong) }
        }
    }

    @Test func `a part in pieces is the same part, and nothing of it lies in the folder under a name`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let bytes = Data((0..<700_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        var part = try CheckedPart(UploadChecksum("sha1 N1FC4bjQprcIQwRwj20fMa6M1Gc="), in: folder)
        for start in stride(from: 0, to: bytes.count, by: 65_521) {
            try part.append(ByteBuffer(bytes: bytes[start..<min(start + 65_521, bytes.count)]))
        }
        #expect(part.isRight)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        var read = Data()
        let next = try part.pieces()
        while let piece = try next() { read.append(contentsOf: piece.readableBytesView) }
        #expect(read == bytes)
        try part.append(ByteBuffer(string: "x"))
        #expect(!part.isRight)
    }

    @Test func `whoever takes an upload over writes alone, and bytes of two never mix`() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appending(path: "a.bytes")
        try Data().write(to: url)
        let file = try ResumableFile(url, now: 0)
        let first = try file.begin(at: 0, now: 0)
        try file.append(ByteBuffer(string: "abc"), by: first, now: 10)
        #expect(throws: ResumableFile.Refusal.busy) { try file.begin(at: 3, now: 9 + ResumableFile.patience) }
        let later = 10 + ResumableFile.patience
        #expect(throws: ResumableFile.Refusal.elsewhere(3)) { try file.begin(at: 0, now: later) }
        let second = try file.begin(at: 3, now: later)
        try file.append(ByteBuffer(string: "def"), by: second, now: later)
        #expect(throws: ResumableFile.Refusal.busy) {
            try file.append(ByteBuffer(string: "XYZ"), by: first, now: later)
        }
        file.end(first)
        try file.append(ByteBuffer(string: "ghi"), by: second, now: later)
        #expect(throws: ResumableFile.Refusal.busy) { try file.begin(at: 9, now: later) }
        file.end(second)
        #expect(try String(contentsOf: url, encoding: .utf8) == "abcdefghi")
        #expect(file.offset == 9)
    }

    @Test func `what an upload says of itself is divided by commas and spaces alone, whatever marks follow them`() {
        #expect(UploadMetadata("filename YQ==,private")?.values == ["filename": "a", "private": ""])
        #expect(UploadMetadata("a YQ==,\u{301}b YQ==")?.values == ["a": "a", "\u{301}b": "a"])
        for wrong in ["a YQ==,a YQ==", "a b c", "a !", "a /w=="] { #expect(UploadMetadata(wrong) == nil, "\(wrong)") }
    }
}
