import Testing
import WeirBoards
import WeirFlows
import WeirJournals

@testable import WeirWeb

@Suite struct RecordingAnnouncerTests {
    @Test func `each stop of recording is told, at most once a second, and what changed meanwhile is told then`() {
        let clock = ManualClock()
        let times = Locked<[Int64]>([])
        let status = MutableStateFlow(RecordingStatus.recording)
        let announcer = RecordingAnnouncer(clock: clock, announce: { times.withLock { $0.append(clock.uptime) } }) {
            [RecordingAnnouncer.follow(status.asStateFlow(), by: { $0 == .recording }, $0)]
        }
        func told(after time: Int64) -> [Int64] {
            clock.advance(by: time)
            return times.withLock { $0 }
        }
        #expect(told(after: 5_000) == [])
        status.value = .notRecorded(since: Timestamp(milliseconds: 1), reason: "The disk is full.")
        #expect(told(after: 0) == [5_000])
        // Another reason is shown by what looks for it; that nothing is recorded was told.
        status.value = .notRecorded(since: Timestamp(milliseconds: 1), reason: "The disk is gone.")
        #expect(told(after: 0) == [5_000])
        status.value = .recording
        #expect(told(after: 999) == [5_000])
        #expect(told(after: 1) == [5_000, 6_000])
        #expect(told(after: 5_000) == [5_000, 6_000])
        status.value = .notRecorded(since: Timestamp(milliseconds: 2), reason: "The disk is full.")
        #expect(told(after: 0) == [5_000, 6_000, 11_000])
        _ = announcer
    }
}
