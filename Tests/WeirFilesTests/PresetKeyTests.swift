import Testing
import WeirOperations
import WeirStates

@testable import WeirFiles

struct PresetKeyTests {
    private static let head = """
        title: Report
        inputs:
          - {name: region, options: [eu, us]}
          - {name: days, type: integer, min: 1}
          - {name: parts, type: choices, options: [a, b]}
          - {name: key, type: secret}
        command: [echo, "{{region}}"]
        presets:

        """

    private static func read(_ presets: String) -> (presets: [InputPreset], mistakes: [String]) {
        let (definition, mistakes) = DefinitionReader.read(head + presets, id: "report", file: "report.yml")
        return (definition?.presets ?? [], mistakes.map(\.description))
    }

    @Test func `a file declares presets of its form in order, with values of the kinds of their inputs`() {
        let (presets, mistakes) = Self.read("  Nightly: {region: eu, days: 7}\n  All parts: {parts: [a, b]}")
        #expect(mistakes.isEmpty)
        #expect(
            presets == [
                InputPreset(name: "Nightly", input: ["region": "eu", "days": 7]),
                InputPreset(name: "All parts", input: ["parts": ["a", "b"]]),
            ])
    }

    @Test(arguments: [
        ("  N: {regoin: eu}", "9:15: There is no input “regoin”."),
        ("  N: {region: mars}", "9:15: A preset gives “region”: "),
        ("  N: {days: 0}", "9:13: A preset gives “days”: "),
        ("  N: {key: x}", "9:7: A preset cannot give the secret “key”."),
    ])
    func `a preset's values must be valid and no secrets`(preset: String, mistake: String) {
        let mistakes = Self.read(preset).mistakes
        #expect(mistakes.count == 1 && mistakes[0].hasPrefix("report.yml:" + mistake), "\(mistakes)")
    }
}
