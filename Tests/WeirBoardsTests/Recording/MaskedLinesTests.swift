import Testing
import TestSupport
import WeirStates

@testable import WeirBoards

@Suite struct MaskedLinesTests {
    @Test func `a secret of several lines is masked on its channel, whatever other channels print meanwhile`() {
        var lines = MaskedLines(SecretMask(["first\nsecond\nthird"]))
        #expect(lines.take("one", from: .standardOutput) == ["one"])
        #expect(lines.take("a first", from: .standardOutput) == [])
        #expect(lines.take("first", from: .standardError) == [])
        #expect(lines.take("second", from: .standardOutput) == [])
        #expect(lines.take("third b", from: .standardOutput) == ["a ••• b"])
        #expect(lines.take("other", from: .standardError) == ["first", "other"])
    }

    @Test func `lines that were held back are recorded at the end`() {
        var lines = MaskedLines(SecretMask(["first\nsecond\nthird"]))
        #expect(lines.take("first", from: .standardError) == [])
        #expect(lines.take("second", from: .standardError) == [])
        #expect(lines.finish().map(\.1) == ["first", "second"])
        #expect(lines.finish().isEmpty)
    }

    @Test func `blank lines stay, and without secrets nothing is held back`() {
        var lines = MaskedLines(SecretMask(["hunter2-hunter2"]))
        #expect(lines.take("", from: .standardOutput) == [""])
        #expect(lines.take("hunter2-hunter2", from: .standardOutput) == ["•••"])
        #expect(lines.take("hunter2", from: .standardOutput) == ["hunter2"])
        var none = MaskedLines(.none)
        #expect(none.take("a", from: .notice) == ["a"])
        #expect(none.finish().isEmpty)
    }

    @Test func `an unfinished line shows nothing of a secret, also of one that began in an earlier line`() {
        var lines = MaskedLines(SecretMask(["hunter2-hunter2", "first\nsecond\nthird"]))
        #expect(lines.unfinished("Password: ", on: .standardOutput) == "Password: ")
        #expect(lines.unfinished("a hunter2-hunter", on: .standardOutput) == "a ")
        #expect(lines.unfinished("a hunter2-hunter2 b", on: .standardOutput) == "a ••• b")
        #expect(lines.take("first", from: .standardOutput) == [])
        #expect(lines.unfinished("second", on: .standardOutput) == "")
        #expect(lines.unfinished("second", on: .standardError) == "second")
    }

    @Test(arguments: UInt64(0)..<20)
    func `no line of a secret is recorded or shown, however channels take turns and lines are shown before they end`(
        _ seed: UInt64
    ) {
        var random = SeededGenerator(seed: seed)
        let letters = Array("abcdefgh")
        let words = (0..<3).map { _ in String((0..<8).map { _ in letters[Int.random(in: 0..<8, using: &random)] }) }
        var lines = MaskedLines(SecretMask([words.joined(separator: "\n")]))
        var waiting = Dictionary(
            uniqueKeysWithValues: OutputChannel.allCases.map { ($0, ["before"] + words + ["after"]) })
        var recorded: [OutputChannel: [String]] = [:]
        while let channel = waiting.filter({ !$0.value.isEmpty }).keys.sorted(by: { $0.rawValue < $1.rawValue })
            .randomElement(using: &random), let line = waiting[channel]?.removeFirst()
        {
            for end in 0...line.count {
                let shown = lines.unfinished(String(line.prefix(end)), on: channel)
                #expect(!words.contains { shown.contains($0) })
            }
            recorded[channel, default: []] += lines.take(line, from: channel)
        }
        for (channel, line) in lines.finish() { recorded[channel, default: []].append(line) }
        for channel in OutputChannel.allCases { #expect(recorded[channel] == ["before", "•••", "after"]) }
    }
}
