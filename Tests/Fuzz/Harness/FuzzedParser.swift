import Foundation

/// A parser that libFuzzer feeds, with what must hold of it whatever comes.
struct FuzzedParser: Sendable {
    /// What `script/fuzz` and the folders of the corpus call it.
    let name: String
    /// How many bytes an input has at most.
    let maximumLength: Int
    /// Gives it an input; ends the process where something does not hold.
    let check: @Sendable (FuzzInput) -> Void

    init(_ name: String, upTo maximumLength: Int, _ check: @escaping @Sendable (FuzzInput) -> Void) {
        self.name = name
        self.maximumLength = maximumLength
        self.check = check
    }

    /// All there are.
    static let all = [
        targets, cursors, polls, queries, headers, json, forms, multipart, exports, runbooks, actions, output, recorded,
        settings, exchange, feeds, timestamps, filenames, searches, templates, streams, reports,
        operations, stateLines, cron, hooks, uploads, credentials, peers, terminal,
    ]

    static func named(_ name: String) -> FuzzedParser? { all.first { $0.name == name } }
}

/// Ends the process with a sentence where something does not hold that must, so that libFuzzer keeps the input.
func expect(
    _ holds: @autoclosure () -> Bool, _ sentence: @autoclosure () -> String, line: Int = #line,
    file: StaticString = #fileID
) {
    if holds() { return }
    FileHandle.standardError.write(Data("✕ \(file):\(line): \(sentence())\n".utf8))
    abort()
}

/// Holds that words are a sentence that can be shown: not empty, not endless, and ended.
func expectSentence(_ words: String, upTo limit: Int = 2_000, line: Int = #line, file: StaticString = #fileID) {
    expect(!words.isEmpty, "a refusal says nothing", line: line, file: file)
    expect(words.utf8.count <= limit, "a refusal of \(words.utf8.count) bytes", line: line, file: file)
}
