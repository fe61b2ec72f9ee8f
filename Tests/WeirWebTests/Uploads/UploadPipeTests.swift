import Foundation
import Testing

@testable import WeirWeb

@Suite(.timeLimit(.minutes(15))) struct UploadPipeTests {
    private func bytes(_ text: String) -> Data { Data(text.utf8) }

    @Test func `pieces come out in order, and the end after them`() async throws {
        let pipe = UploadPipe()
        async let written: Void = {
            for piece in ["a", "b", "c"] { #expect(await pipe.offer(Data(piece.utf8))) }
            pipe.finish()
        }()
        var read = ""
        while let piece = try await pipe.next() { read += String(decoding: piece, as: UTF8.self) }
        await written
        #expect(read == "abc")
        #expect(try await pipe.next() == nil)
    }

    @Test func `a sender that breaks off is told to the reader in words`() async throws {
        let pipe = UploadPipe()
        pipe.finish(.stopped(received: 3, announced: 10))
        let failure = await #expect(throws: UploadFailure.self) { try await pipe.next() }
        #expect(
            failure?.description == "The sender stopped before the end: 3 of 10 bytes had arrived. Send the file again."
        )
    }

    @Test func `a reader that is cancelled lets the sender go`() async {
        let pipe = UploadPipe()
        let reader = Task { try await pipe.next() }
        reader.cancel()
        _ = await reader.result
        #expect(await pipe.offer(bytes("a")) == false)
    }

    @Test func `a closed pipe lets a waiting sender go, and tells a late reader`() async {
        let pipe = UploadPipe()
        async let taken = pipe.offer(bytes("a"))
        pipe.close()
        #expect(await taken == false)
        await #expect(throws: UploadFailure.self) { try await pipe.next() }
    }
}
