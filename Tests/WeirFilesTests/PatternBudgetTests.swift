import Testing
import WeirFlows
import WeirOperations
import WeirStates

@testable import WeirFiles

@Suite(.timeLimit(.minutes(15))) struct PatternBudgetTests {
    /// A clock that goes on by a time with each look, and counts the looks.
    private final class Looks: Sendable {
        private let looks = Locked(0)
        private let interval: Duration

        init(_ interval: Duration) { self.interval = interval }

        var count: Int { looks.withLock { $0 } }

        func now() -> Duration {
            looks.withLock { looks in
                looks += 1
                return interval * looks
            }
        }
    }

    private static let spaces = String(repeating: " ", count: 4_090) + "x"

    private func tracker(_ states: String, _ looks: Looks) throws -> StateTracker {
        let text = "{title: T, command: [x], states: \(states)}"
        return StateTracker(try FileTrial.definition(text), CommandInput([:])) { looks.now() }
    }

    @Test func `a match has a number of steps over all places where it can begin`() throws {
        let looks = Looks(.zero)
        let match = try TextPattern("\\s+$", for: .line).match(Self.spaces) { looks.now() }
        #expect(match.outcome == .tooSlow)
        // 100,000 steps, a look after each 32, and one at the end.
        #expect(looks.count == 100_000 / 32 + 1)
    }

    @Test(arguments: ["\\s+$", "^(\\s|\\s\\s)*$", "^(?:\\s?){50}\\s{50}y", "(\\s+)+y?$"])
    func `a match ends when its time is used up, whether it would have matched or not`(pattern: String) throws {
        let looks = Looks(.milliseconds(1))
        let match = try TextPattern(pattern, for: .line).match(Self.spaces + "y") { looks.now() }
        #expect(match.outcome == .tooSlow)
        #expect(looks.count <= 7)
    }

    @Test func `four hundred hostile lines take less than a second of a processor`() throws {
        for pattern in ["\\s+$", "^(?:\\s?){900}\\s{900}$", "(\\s*)*y", "\\s*\\s*\\s*\\s*y"] {
            var tracker = StateTracker(
                try FileTrial.definition("{title: T, command: [x], states: {trailing: {match: '\(pattern)'}}}"),
                CommandInput([:]))
            let began = StepMeter.processorTime()
            for _ in 0..<400 { _ = tracker.take(Self.spaces, on: .standardOutput) }
            #expect(StepMeter.processorTime() - began < .seconds(1), "\(pattern)")
        }
    }

    @Test func `a pattern that is slow without a match counts, and is given up for the run`() throws {
        let looks = Looks(.milliseconds(1))
        var tracker = try tracker("{trailing: {match: '\\s+$'}, copied: {match: '^copied'}}", looks)
        let line = String(repeating: " ", count: 10) + "x"
        var notices: [String] = []
        var lines = 0
        while notices.isEmpty, lines < 1_000 {
            let step = tracker.take(line, on: .standardOutput)
            notices += step.notice.map { [$0] } ?? []
            guard step.notice != nil else { continue }
            #expect(step.state == .active("running", StateDetails(slow: "trailing")))
            lines += 1
        }
        #expect(
            notices == [
                "A pattern of the state “trailing” took too long and is given up for the rest of this run. Make it simpler: "
                    + "avoid repetitions within repetitions."
            ])
        let before = looks.count
        #expect(tracker.take(line, on: .standardOutput) == StateTracker.Step())
        #expect(looks.count == before)
        #expect(
            tracker.take("copied", on: .standardOutput).state == .active("copied", StateDetails(slow: "trailing")))
        #expect(tracker.begin() == .active("running", StateDetails(slow: "trailing")))
        #expect(tracker.givenUp == "trailing")
    }

    @Test func `a pattern that is slow and matches counts as well`() throws {
        var tracker = try tracker("{reading: {match: '^(?:a|b)+c'}}", Looks(.microseconds(200)))
        let line = String(repeating: "ab", count: 40) + "c"
        let steps = (0..<1_000).map { _ in tracker.take(line, on: .standardOutput) }
        #expect(steps.first?.state?.name == "reading")
        #expect(steps.compactMap(\.notice).count == 1 && tracker.givenUp == "reading")
    }

    @Test func `an ordinary pattern is never given up, even where a step takes a hundred times as long`() throws {
        // 32 steps take half a microsecond.
        var tracker = try tracker(
            "{copying: {match: '(?<completed>[\\d,]+) of (?<total>[\\d,]+) bytes'}}", Looks(.microseconds(50)))
        let line = "2024-05-01 12:33:21 INFO  copied 1,234 of 5,678 bytes to /var/lib/data/file-0001.bin"
        let other = "frame= 1234 fps= 25 q=28.0 size=    1024kB time=00:00:41.13 bitrate= 203.9kbits/s speed=1.02x"
        for _ in 0..<5_000 {
            _ = tracker.take(line, on: .standardOutput)
            _ = tracker.take(other, on: .standardOutput)
        }
        #expect(tracker.givenUp == nil && tracker.take(line, on: .standardOutput).notice == nil)
    }

    @Test func `a run whose pattern was given up says so in its end`() async throws {
        let text = """
            {title: T, shell: 'yes "$(printf "%4000s" "")x" | head -n 30; exit %d', states: {slow: {match: '^(\\s|\\s\\s)*$'}}}
            """
        let succeeded = try await FileTrial.run(text.replacing("%d", with: "0"))
        guard case .succeeded(let details) = succeeded.last else { return #expect(Bool(false)) }
        #expect(details.slow == "slow")
        #expect(
            succeeded.lines.filter { $0.hasPrefix("notice: ") && $0.contains("for the rest of this run") }.count == 1)
        guard case .failed(let problem) = try await FileTrial.run(text.replacing("%d", with: "3")).last else {
            return #expect(Bool(false))
        }
        #expect(problem.slow == "slow" && problem.code == 3)
    }

    @Test(arguments: [
        ("((a{1,60}){1,60}){1,60}", "regular expression is too large"),
        ("^(?:a?){4000}a{4000}$", "regular expression is too large"),
        (String(repeating: "a", count: 8_193), "longer than the limit"),
        ("(?i)" + String(repeating: "[\\x{80}-\\x{10ffff}]", count: 3), "ignores case"),
        ("a(?m-s:b)(?xi:" + String(repeating: "[é-\u{10FFFF}]", count: 3) + ")", "ignores case"),
    ])
    func `a pattern that would take long to compile is refused`(pattern: String, reason: String) {
        let began = StepMeter.processorTime()
        let mistake = #expect(throws: TextPattern.Mistake.self) { try TextPattern(pattern, for: .line) }
        #expect(mistake?.sentence.contains(reason) == true)
        #expect(StepMeter.processorTime() - began < .milliseconds(100))
    }

    @Test func `a pattern may ignore case in words, and have wide ranges where it does not`() throws {
        #expect(
            try TextPattern("(?i)[a-zà-ÿ]+-[0-9a-f]-[а-я]-\\p{L}-error", for: .line).match("ERROR").outcome == .none)
        let wide = String(repeating: "[\\x{80}-\\x{10ffff}]", count: 9)
        #expect(try TextPattern(wide + "(?=\\(?i)?", for: .line).match("ééééééééé").outcome == .matched([:]))
        #expect(throws: TextPattern.Mistake.self) { try TextPattern("\\X+", for: .input) }
        #expect(try TextPattern("\\X", for: .line).match("é").outcome == .matched([:]))
        #expect(try TextPattern("\\\\X", for: .input).match("\\X").outcome == .matched([:]))
    }
}
