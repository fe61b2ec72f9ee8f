import Testing
import TestSupport
import WeirFlows
@testable import WeirOperations
import WeirStates

@Suite(.timeLimit(.minutes(15))) struct OutputTests {
    /// Keeps what is printed; takes so many lines that do not wait.
    final class CapturedOutput: OutputSink {
        let printed = Locked<[String]>([])
        let room: Int

        init(room: Int = .max) { self.room = room }

        func write(_ line: String, to channel: OutputChannel) async {
            printed.withLock { $0.append("\(channel.rawValue): \(line)") }
        }

        func offer(_ line: String, to channel: OutputChannel) -> Bool {
            printed.withLock { printed in
                if printed.count < room { printed.append("\(channel.rawValue): \(line)") }
                return printed.count < room
            }
        }

        var lines: [String] { printed.withLock { $0 } }
    }

    @Test func `what a run prints goes to the sink it was given before it began`() async throws {
        let output = CapturedOutput()
        let runner = OperationRunner(
            PrintingOperation { state, output in
                await output.write("begun")
                output.offer("careful", to: .standardError)
                state.value = .success(text: "")
            })
        let run = try runner.start(TestInput()) { $0.print(to: output) }
        _ = await run.outcome()
        #expect(output.lines == ["stdout: begun", "stderr: careful"])
    }

    @Test func `an operation that prints runs just as well where nobody wants its lines`() async throws {
        let printing = PrintingOperation { state, output in
            await output.write("into the void")
            #expect(output.offer("this too"))
            state.value = .success(text: "done")
        }
        let runner = OperationRunner(printing)
        guard case .succeeded = try await runner.run(TestInput()) else { return #expect(Bool(false)) }
        let state = MutableStateFlow(TestState.none)
        try await printing.perform(TestInput(), state: state)
        #expect(state.value == .success(text: "done"))
    }

    @Test(arguments: [
        ("one", ["one"]), ("", [""]), ("\n", [""]), ("a\nb", ["a", "b"]), ("a\r\nb\r\n", ["a", "b"]),
        ("a\n\nb\n", ["a", "", "b"]), ("10 %\r20 %", ["10 %\r20 %"]), ("e\u{301}\nü", ["e\u{301}", "ü"]),
        ("\r\n\u{301}", ["", "\u{301}"]),
    ])
    func `a text is its lines, without their ends`(text: String, lines: [String]) async {
        let output = CapturedOutput()
        await OutputWriter(to: output).write(text)
        #expect(output.lines == lines.map { "stdout: \($0)" })
    }

    @Test func `an offer tells whether all of it was taken`() {
        let writer = OutputWriter(to: CapturedOutput(room: 3))
        #expect(writer.offer("a\nb"))
        #expect(!writer.offer("c\nd"))
    }

    @Test(arguments: [
        ("plain", "plain"), ("\u{1B}[1;31mred\u{1B}[0m end", "red end"), ("\u{1B}]0;title\u{07}text", "text"),
        ("\u{1B}Pq#0\u{1B}\\text", "text"), ("\u{1B}(Btext", "text"), ("\u{1B}[2Jtext", "text"),
        ("\u{1B}7text", "text"),
        ("cut off\u{1B}[31", "cut off"), ("\u{1B}]never ends", ""),
    ])
    func `without what steers a terminal a line has all of its text`(line: String, text: String) {
        #expect(line.withoutEscapes == text)
    }
}
