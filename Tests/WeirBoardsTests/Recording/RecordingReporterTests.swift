import Logging
import Testing
import TestSupport
import WeirFlows
import WeirJournals

@testable import WeirBoards

struct RecordingReporterTests {
    private static let full = JournalError(.full, "The disk is full.")

    private final class Wall: Sendable {
        let now = Locked(Timestamp(milliseconds: 1_000_000))
    }

    private let wall = Wall()
    private let log = CapturedLog()

    private func reporter() -> RecordingReporter {
        RecordingReporter(notices: [], now: { [wall] in wall.now.withLock { $0 } }, logger: log.logger)
    }

    private func pass(_ milliseconds: Int64) { wall.now.withLock { $0 = $0.after(milliseconds) } }

    private var told: [String] { log.lines.filter { $0.contains("ecording") } }

    @Test func `the end of a full disk is reported at once`() {
        let reporter = reporter()
        reporter.failed(Self.full)
        pass(100)
        reporter.succeeded(waiting: 0)
        #expect(reporter.status.value == .recording)
        #expect(told.count == 2)
    }

    @Test func `a disk that takes a change now and then is reported as full without interruption`() {
        let reporter = reporter()
        reporter.failed(Self.full)
        reporter.succeeded(waiting: 0)
        for _ in 0..<50 {
            pass(3_000)
            reporter.failed(Self.full)
            pass(1_000)
            reporter.succeeded(waiting: 1)
            #expect(reporter.status.value != .recording)
        }
        #expect(told.count == 3)
        pass(RecordingReporter.patience)
        reporter.succeeded(waiting: 0)
        #expect(reporter.status.value == .recording)
        // Long afterwards, a full disk is a new one.
        pass(RecordingReporter.patience)
        reporter.failed(Self.full)
        reporter.succeeded(waiting: 0)
        #expect(reporter.status.value == .recording)
    }

    @Test func `a clock that was set back does not delay the report that changes are recorded`() {
        let reporter = reporter()
        reporter.failed(Self.full)
        reporter.succeeded(waiting: 0)
        reporter.failed(Self.full)
        pass(-3_600_000)
        reporter.succeeded(waiting: 0)
        #expect(reporter.status.value == .recording)
    }
}
