import ArgumentParser
import Foundation
import Testing

@testable import WeirCommand

@Suite(.timeLimit(.minutes(15))) struct ImportCommandTests {
    @Test func `whoever imports a file that is not there is told which, and what to do`() async {
        let result = await #expect(processExitsWith: .exitCode(66), observing: [\.standardErrorContent]) {
            do {
                let command = try Import.parse(["--dry-run", "/nowhere/runs.jsonl"])
                try await command.run()
            } catch let error as ExitCode {
                exit(error.rawValue)
            }
        }
        let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(words == "/nowhere/runs.jsonl cannot be read. Choose an existing file.\n")
    }
}
