import Foundation

/// A parser that libFuzzer feeds, with what must hold of it whatever comes.
struct FuzzedParser: Sendable {
    /// What `script/fuzz` and the folders of the corpus call it.
    let name: String
    /// How many bytes an input has at most.
    let maximumLength: Int
    /// Parses an input and checks the result with `expect`.
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
        operations, stateLines, cron, calendars, hooks, uploads, credentials, peers, terminal, mail, tables,
    ]

    static func named(_ name: String) -> FuzzedParser? { all.first { $0.name == name } }
}

/// Holds that words are a sentence that can be shown: not empty, not endless, and ended.
func expectSentence(_ words: String, upTo limit: Int = 2_000, line: Int = #line, file: StaticString = #fileID) {
    expect(!words.isEmpty, "a refusal says nothing", line: line, file: file)
    expect(words.utf8.count <= limit, "a refusal of \(words.utf8.count) bytes", line: line, file: file)
}
