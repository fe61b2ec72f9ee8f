import Foundation
import WeirOperations
import WeirStates
@testable import WeirFiles

extension FuzzedParser {
    /// Files that declare operations, and the commands that come of them.
    static let operations = FuzzedParser("operations", upTo: 4_096) { input in
        let (definition, mistakes) = DefinitionReader.read(input.text, id: "fuzz", file: "fuzz.yml")
        expect((definition == nil) == !mistakes.isEmpty, "a file is neither right nor wrong, or both")
        expect(mistakes.count <= MistakeList.limit, "\(mistakes.count) mistakes")
        for mistake in mistakes {
            expectSentence(mistake.detail, upTo: 8_192)
            expect(mistake.line >= 1 && mistake.column >= 1, "a mistake stands nowhere")
        }
        guard let definition else { return }
        expect(InputField.problems(in: definition.fields).isEmpty, "the fields are wrong, and nobody says so")
        launch(definition)
        let secrets = Set(definition.fields.filter(\.isSecret).map(\.name))
        if case .command(let arguments) = definition.program {
            let names = arguments.flatMap(\.templates).flatMap(\.fields)
            expect(secrets.isDisjoint(with: names), "a secret stands in the command")
            expect(arguments.first?.template?.fields.isEmpty == true, "the program is an input")
        }
        var tracker = StateTracker(definition, CommandInput([:]))
        for line in input.lines.prefix(20) { _ = tracker.take(line, on: .standardOutput) }
    }

    /// Every value is a part of exactly one argument, whatever it holds.
    private static func launch(_ definition: OperationDefinition) {
        let mark = "\u{2603}x y"
        let values = definition.fields.map { ($0.name, JSONValue.string(mark)) }
        let environment = CommandEnvironment(folder: URL(filePath: "/"), environment: [:], helper: nil)
        guard
            let launch = try? definition.launch(
                CommandInput(Dictionary(values) { $1 }), in: environment, states: nil),
            case .command(let arguments) = definition.program
        else { return }
        expect(launch.arguments.count <= arguments.flatMap(\.templates).count, "a value became several arguments")
        expect(launch.mistake == nil, "a command that cannot be run passes")
    }

    /// What programs print and report of their states.
    static let stateLines = FuzzedParser("state-lines", upTo: 5_000) { input in
        for line in input.lines {
            for report in [StateReport(line: line), StateReport(json: line)].compactMap({ $0 }) {
                expect(report.state.map(CommandState.isFree) ?? true, "a program names the state \(report.state ?? "")")
                expect(report.values.count <= StateReport.maximumValues, "\(report.values.count) values")
                for unit in [ProgressUnit.bytes, .items, .percent] {
                    let progress = WorkProgress(completed: report.completed, total: report.total, unit: unit)
                    expect((0...1).contains(progress?.fraction ?? 0), "a progress beyond its end")
                }
            }
        }
    }
}
