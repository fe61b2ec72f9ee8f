import WeirFlows
import WeirOperations
import WeirStates

/// An operation that prints so many lines at once, then one more for each step that the test allows.
struct Printer: OutputOperation {
    struct Input: OperationInput {
        var lines: Int
        /// The number of the step that prints a text without a line end.
        var prompt: Int?
        static var fields: [InputField] {
            [
                InputField("lines", "Lines", .integer(0...1_000_000), required: true),
                InputField("prompt", "Prompt", .integer(0...1_000_000)),
            ]
        }
    }

    let gate: Gate

    func perform(_ input: Input, state: MutableStateFlow<Steps.State>, output: OutputWriter) async throws {
        state.value = .stepping(number: 0, label: "printing")
        for number in 0..<input.lines { await output.write("\u{1B}[32mline\u{1B}[0m \(number + 1)") }
        var number = input.lines
        while try await gate.pass() {
            number += 1
            if number == input.prompt {
                output.show(unfinished: "<prompt>", on: .standardOutput)
                continue
            }
            await output.write("<line> \(number)", to: .standardError)
        }
        state.value = .done(label: "printed")
    }
}
