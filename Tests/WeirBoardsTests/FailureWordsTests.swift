import Foundation
import Logging
import Testing
import TestSupport
import WeirFlows
import WeirJournals
import WeirOperations
import WeirStates

@testable import WeirBoards

/// What is told to people of an error, and what to the log.
@Suite(.timeLimit(.minutes(15))) struct FailureWordsTests {
    /// The operation of the README: its failed state has the explanation of the error.
    private struct Reader: StateOperation {
        let path: String

        func perform(_ input: NoInput, state: MutableStateFlow<ReaderState>) async throws {
            _ = try Data(contentsOf: URL(filePath: path))
        }
    }

    private enum ReaderState: OperationState {
        case ready, read, cancelled, failed(message: String)
        static var initial: Self { .ready }
        static func failed(_ error: any Error) -> Self { .failed(message: error.explanation) }
        static func cancelled(from last: Self) -> Self { .cancelled }
        static var samples: [Self] { [.ready, .read, .cancelled, .failed(message: "No.")] }
        var phase: Phase {
            switch self {
            case .ready: .idle
            case .read: .succeeded
            case .cancelled: .cancelled
            case .failed: .failed
            }
        }
    }

    private func run(_ path: String) async throws -> (record: RunRecord, log: CapturedLog) {
        let log = CapturedLog(level: .trace)
        var catalog = Catalog()
        catalog.add(Reader(path: path), id: "reader", title: "Reader", summary: "A test.")
        let board = try await Board.open(
            catalog: catalog, journal: MemoryJournal(), clock: VirtualClock(),
            logger: log.logger)
        let receipt = try await board.start("reader", input: [:], actor: "tester")
        await board.outcome(of: receipt.run)
        let record = try await board.run(receipt.run)
        await board.shutdown()
        return (record, log)
    }

    // C4
    @Test func `a file that is missing is told without its path`() async throws {
        let (record, _) = try await run("/nowhere/weir-secret.txt")
        let told = try record.state.payload.text()
        #expect(record.state.phase == .failed && told.contains("A required file is missing."))
        #expect(!told.contains("/") && !told.contains("secret"))
    }

    // C4
    @Test func `an error without words is told as such, and whole only to the log, on one line`() async throws {
        // A folder is not to be read as a file, which nobody has words for.
        let (record, log) = try await run("/tmp")
        let told = try record.state.payload.text()
        #expect(told.contains("the server's log has details") && !told.contains("/tmp"))
        // The log is told by the work's own thread, which may still be about to when the end is recorded.
        var line: String?
        try await until {
            line = log.lines.first { $0.contains("has no explanation for people") }
            return line != nil
        }
        #expect(line?.contains("tmp") == true && line?.contains(record.id) == true)
        #expect(line?.contains("\n") == false)
    }

    // C4
    @Test func `an input's own decoding says nothing about the files of the server`() {
        let error = CocoaError(.fileReadUnknown, userInfo: [NSFilePathErrorKey: "/var/lib/secret"])
        #expect(!CodingErrorText.sentence(for: error).contains("secret"))
    }
}
