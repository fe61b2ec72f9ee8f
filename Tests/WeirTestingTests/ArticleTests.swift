import Testing
import WeirOperations
import WeirStates
import WeirTesting

/// Counts the words of a text.
struct CountWords: SimpleOperation {
    struct Input: FormInput {
        var text = ""
        static let fields = [InputField(\Self.text, "Text", .multiline(), required: true)]
    }

    func run(_ input: Input, report: RunReporter) async throws -> Int {
        let lines = input.text.split(separator: "\n")
        var count = 0
        for (index, line) in lines.enumerated() {
            report.progress(index, of: lines.count, note: "Line \(index + 1)")
            count += line.split(separator: " ").count
        }
        if count == 0 { throw OperationFailure("The text has no words. Write some.") }
        return count
    }
}

/// The operation that the articles of WeirOperations and WeirTesting show.
@Suite(.timeLimit(.minutes(15)))
struct ArticleTests {
    @Test func `words are counted, and a text without words fails with the remedy`() async throws {
        let all = try await states(of: CountWords(), input: .init(text: "one\ntwo three"))
        #expect(all.last == .succeeded(3))

        let failed = try await states(of: CountWords(), input: .init(text: " "))
        #expect(failed.last == .failed(message: "The text has no words. Write some."))
    }
}
