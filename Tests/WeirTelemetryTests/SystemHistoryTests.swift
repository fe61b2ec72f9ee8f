import Testing
@testable import WeirTelemetry

@Suite struct SystemHistoryTests {
    private static let minute: Int64 = 60_000
    private static let now: Int64 = 1_000_000 * minute

    @Test func `a day is kept, and what is older is gone`() {
        let history = SystemHistory()
        for age in (0...1_440).reversed() {
            history.add([.memory: Double(age)], at: Self.now - Int64(age) * Self.minute)
        }
        let parts = history.parts(.memory, count: 144, now: Self.now)
        #expect(parts.count == 144)
        #expect(parts.first == 1_434.5 && parts.last == 4.5)
        #expect(history.latest(.memory, now: Self.now) == 0)
    }

    @Test func `minutes without a sample are gaps, and an old sample is no current value`() {
        let history = SystemHistory()
        history.add([.memory: 7], at: Self.now - 30 * Self.minute)
        #expect(history.parts(.memory, count: 144, now: Self.now).compactMap(\.self) == [7])
        #expect(history.latest(.memory, now: Self.now) == nil)
        #expect(history.latest(.cpu, now: Self.now) == nil)
        #expect(history.parts(.memory, count: 144, now: Self.now + 2 * SystemHistory.day).compactMap(\.self).isEmpty)
    }

    @Test func `a falling reading ends when its trend says, and a steady one does not`() throws {
        let (falling, steady) = (SystemHistory(), SystemHistory())
        for age in 0..<120 {
            falling.add([.disk: 1_000_000 + Double(age) * 1_000], at: Self.now - Int64(age) * Self.minute)
            steady.add([.disk: 1_000_000], at: Self.now - Int64(age) * Self.minute)
        }
        let end = try #require(falling.end(of: .disk, now: Self.now))
        #expect(abs(end - Self.now - 1_000 * Self.minute) <= Self.minute)
        #expect(steady.end(of: .disk, now: Self.now) == nil)
        let young = SystemHistory()
        for age in 0..<59 { young.add([.disk: Double(age)], at: Self.now - Int64(age) * Self.minute) }
        #expect(young.end(of: .disk, now: Self.now) == nil)
    }
}
