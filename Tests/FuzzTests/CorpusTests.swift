import Foundation
import Testing

/// Every input that fuzzing has kept still meets what its parser promises.
@Suite struct CorpusTests {
    private static let corpus = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Fuzz/Corpus")

    @Test("Each parser keeps its promises for every input of the corpus", arguments: FuzzedParser.all.map(\.name))
    func replay(name: String) throws {
        let parser = try #require(FuzzedParser.named(name))
        let inputs = try FileManager.default.contentsOfDirectory(
            at: Self.corpus.appending(path: name), includingPropertiesForKeys: nil)
        #expect(!inputs.isEmpty)
        for input in inputs {
            try FailedInput.$file.withValue("\(name)/\(input.lastPathComponent)") {
                // Unsafe memory: the bytes are read only during the call, and no further than their count.
                try Data(contentsOf: input).withUnsafeBytes { parser.check(FuzzInput($0)) }
            }
        }
    }
}

private enum FailedInput {
    @TaskLocal static var file = ""
}

/// Records an issue that names the input unless a condition holds.
func expect(
    _ holds: @autoclosure () -> Bool, _ sentence: @autoclosure () -> String, line: Int = #line,
    file: StaticString = #fileID
) {
    if holds() { return }
    Issue.record("\(FailedInput.file): \(file):\(line): \(sentence())")
}
