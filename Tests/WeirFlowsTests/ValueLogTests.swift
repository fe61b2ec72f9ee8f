import Testing

@testable import WeirFlows

/// The log by itself: no flow, no lock, no task.
@Suite struct ValueLogTests {
    // D3
    @Test func `an entry is kept until the slowest reader has read it`() {
        var log = ValueLog<String>(replay: 1)
        log.addReader(before: 1)
        log.addReader(before: 1)
        for (number, value) in ["a", "b", "c"].enumerated() { #expect(log.append(value, version: number + 1) == nil) }
        #expect(log.read(1) == "a")
        #expect(log.read(2) == "b")
        #expect(log.count == 3)
        #expect(log.read(1) == "a")
        #expect(log.count == 2)
    }

    // D4
    @Test func `what only the leaving reader had yet to read is returned`() {
        var log = ValueLog<Int>(replay: 1)
        log.addReader(before: 1)
        log.addReader(before: 1)
        for version in 1...100 { _ = log.append(version, version: version) }
        for version in 1...60 { _ = log.read(version) }
        #expect(log.count == 100)
        #expect(log.removeReader(before: 1) == Array(1...60))
        #expect(log.removeReader(before: 61) == Array(61...100))
        #expect(log.readers == 0)
        #expect(log.count == 0)
    }

    // D6
    @Test func `the last ones are kept for replay, readers or not`() {
        var log = ValueLog<Int>(replay: 3)
        let dropped = (1...5).map { log.append($0, version: $0) }
        #expect(dropped == [nil, nil, nil, 1, 2])
        #expect(log.start == 3)
    }

    @Test func `a value handed to every reader is not written down`() {
        var log = ValueLog<Int>(replay: 1)
        log.addReader(before: 1)
        #expect(!log.needsAppend(handing: 1))
        #expect(log.needsAppend(handing: 0))
    }
}
