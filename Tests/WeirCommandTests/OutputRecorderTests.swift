import Foundation
import Testing
import WeirJournals
import WeirStates
@testable import WeirCommand

@Suite(.timeLimit(.minutes(15))) struct OutputRecorderTests {
    @Test func `that a report cannot be kept is said once, and the report says how much of it is missing`() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let folder = FileManager.default.temporaryDirectory.appending(path: "weir-recorder-\(UUID().uuidString)")
            defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
            let header = SpoolHeader(
                server: "http://127.0.0.1:8080", operation: "backup", run: "r1", title: "Backup", input: [:])
            let spool = try Spool.make(in: folder, header: header)
            let recorder = OutputRecorder(spool, now: { Timestamp(milliseconds: 0) }) {}
            // What is no JSON cannot be kept, just as on a full disk.
            for _ in 0..<3 { recorder.add([["line": .number(.infinity)]]) }
            recorder.add([["line": "next"]])
            let words = "weir: 3 lines are missing here, since \(spool.url.path) could not be written."
            let kept = try spool.batch(at: spool.place)?.messages
            let time: JSONValue = "1970-01-01T00:00:00.000Z"
            #expect(
                kept == [
                    ["line": .string(words), "channel": "stderr", "happenedAt": time],
                    ["line": "next", "happenedAt": time],
                ])
        }
        let lines = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self).split(separator: "\n")
        #expect(lines.count { $0.hasPrefix("weir: The report cannot be kept in ") } == 1)
    }
}
