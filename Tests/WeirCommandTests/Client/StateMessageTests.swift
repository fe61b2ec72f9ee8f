import Testing
@testable import WeirCommand
import WeirStates

struct StateMessageTests {
    @Test func `a state line becomes the state that it names, with its progress and values`() {
        #expect(
            StateMessage.message("::weir uploading completed=40 total=100 unit=bytes file=\"a \\\"b\\\".bin\" part=2::")
                == [
                    "state": "uploading", "completed": 40, "total": 100, "unit": "bytes", "file": "a \"b\".bin",
                    "part": "2",
                ])
        #expect(StateMessage.message("::weir done::") == ["state": "done"])
    }

    @Test(arguments: [
        "", "::weir", "::weir ::", "::weir 1up::", "weir done::", "::weir done:", "::weir done total=3::",
        "::weir done completed=-1::", "::weir done completed=9007199254740992::", "::weir done unit=miles::",
        "::weir done phase=succeeded::", "::weir done state=other::", "::weir done a=1 a=2::", "::weir done =1::",
        "::weir done a::", "::weir done a=\"b::", "::weir done a=\"b\"c::", " ::weir done::",
        "::weir " + String(repeating: "x", count: 65) + "::",
    ])
    func `a line that is not exactly a state line is output`(line: String) {
        #expect(StateMessage.message(line) == nil)
    }

    @Test func `lines become messages of their channel, and carriage returns leave nothing behind`() {
        var output = OutputMessages(.standardError)
        var messages: [JSONValue] = []
        for text in ["on", "e\n10 %\r20 %\rdone\n::weir safe", "::\nrest"] {
            messages += Array(text.utf8).withUnsafeBytes { output.take($0) }
        }
        messages += output.finish()
        #expect(
            messages == [
                ["line": "one", "channel": "stderr"], ["line": "done", "channel": "stderr"], ["state": "safe"],
                ["line": "rest", "channel": "stderr"],
            ])
    }

    @Test func `a line whose replaced bytes make it too long comes in pieces that a server takes as one line each`() {
        var output = OutputMessages(.standardOutput)
        let bytes = [UInt8](repeating: 0xff, count: 16_000) + [10]
        let messages = bytes.withUnsafeBytes { output.take($0) }
        let texts = messages.compactMap { $0["line"]?.string }
        #expect(texts.count == 3)
        #expect(texts.allSatisfy { $0.utf8.count <= 16_384 })
        #expect(texts.joined() == String(repeating: "\u{fffd}", count: 16_000))
        #expect(messages.map { $0["continues"]?.bool ?? false } == [true, true, false])
    }

    @Test func `a long line comes in pieces that say that they continue, also behind a channel's other lines`() {
        var output = OutputMessages(.standardError)
        let text = String(repeating: "x", count: 40_000)
        let messages = Array("\(text)\nnext\n".utf8).withUnsafeBytes { output.take($0) }
        #expect(messages.map { $0["line"]?.string?.utf8.count } == [16_384, 16_384, 7_232, 4])
        #expect(messages.map { $0["continues"]?.bool ?? false } == [true, true, false, false])
        #expect(messages.allSatisfy { $0["channel"] == "stderr" })
    }
}
