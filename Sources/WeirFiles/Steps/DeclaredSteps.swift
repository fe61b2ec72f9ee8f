import WeirBoards
package import WeirOperations

/// The steps that a file declares, with the source locations for mistakes that depend on other files.
struct DeclaredSteps: Sendable {
    let file: String
    let steps: [Step]
    var atOnce = 4
    var stopsAfterFailure = false

    struct Step: Sendable {
        let name: String
        let place: FilePlace
        let title: LocalizedText?
        let work: Work
        let values: [Value]
        let retry: StepsPlan.Retry?
        let timeout: Duration?
        let afterFailureOf: Set<String>
        let isRepeatable: Bool
        let needs: [String]?
        let allowsFailure: Bool
        let scope: StepScope
        let condition: DeclaredCondition?
        let forEach: StepsPlan.ForEach?
        let repetition: StepsPlan.Repetition?
    }

    enum Work: Sendable {
        case other(String, FilePlace)
        indirect case own(OperationDefinition)
        case approval(StepsPlan.Approval)
    }

    struct Value: Sendable {
        let name: String
        let place: FilePlace
        let value: StepValue
        let valuePlace: FilePlace
    }
}

extension OperationDefinition {
    /// The plan of the steps, or nil for an operation with a program.
    package var plan: StepsPlan? {
        guard case .steps(let declared) = program else { return nil }
        return StepsPlan(
            declared.steps.map { step in
                let work: StepsPlan.Work =
                    switch step.work {
                    case .approval(let approval): .approval(approval)
                    case .other(let id, _): .run(operation: id, input: step.input)
                    case .own(let definition): .run(operation: definition.id, input: step.input)
                    }
                return StepsPlan.Step(
                    step.name, work, title: step.title?.text, retry: step.retry, timeout: step.timeout,
                    afterFailureOf: step.afterFailureOf, isRepeatable: step.isRepeatable, needs: step.needs,
                    allowsFailure: step.allowsFailure, isFinally: step.scope.isFinally,
                    condition: step.condition?.condition, forEach: step.forEach, repetition: step.repetition)
            }, atOnce: declared.atOnce, stopsAfterFailure: declared.stopsAfterFailure)
    }

    /// The operations of the steps' own programs, which run only as part of this operation.
    package var parts: [OperationDefinition] {
        guard case .steps(let declared) = program else { return [] }
        return declared.steps.flatMap { step -> [OperationDefinition] in
            let condition = step.condition?.program.map { [$0] } ?? []
            guard case .own(let definition) = step.work else { return condition }
            return [definition] + condition
        }
    }
}

extension DeclaredSteps.Step {
    /// The input of the step's run, with the operation's inputs that the step's own program uses.
    fileprivate var input: [String: StepValue] {
        var input = Dictionary(values.map { ($0.name, $0.value) }) { first, _ in first }
        if case .own(let definition) = work {
            input.merge(StepValue.inputs(of: definition, scope)) { given, _ in given }
        }
        return input
    }
}

extension StepValue {
    /// The inputs of a step's own program, each from the value of its name.
    static func inputs(of program: OperationDefinition, _ scope: StepScope) -> [String: StepValue] {
        Dictionary(
            program.fields.map { field in
                (field.name, StepValue([special(field.name, scope).map { .special($0) } ?? .input(field.name)]))
            }
        ) { first, _ in first }
    }

    /// Parses a text in which `{{input}}`, `{{steps.name.value}}` and the values of the step itself are placeholders, and
    /// `{{{{` is two braces.
    init(_ text: String, _ scope: StepScope) throws(TextTemplate.Mistake) {
        guard let pieces = BracedText.parts(of: text) else {
            throw TextTemplate.Mistake("A field that begins with {{ must end with }}. \(BracedText.escape)")
        }
        var parts: [Part] = []
        for piece in pieces {
            switch piece {
            case .text(let text): parts.append(.text(text))
            case .name(let name): parts.append(try Self.part(Substring(name).trimmingSpaces, scope))
            }
        }
        self.init(parts.isEmpty ? [.text("")] : parts)
    }

    private static func special(_ name: String, _ scope: StepScope) -> Special? {
        if name.hasPrefix("item.") { return scope.isForEach ? .item(member: String(name.dropFirst(5))) : nil }
        guard scope.specialNames.contains(name) else { return nil }
        return [.item(member: nil), .index, .outcome, .failedSteps].first { $0.name == name }
    }

    private static func part(_ name: String, _ scope: StepScope) throws(TextTemplate.Mistake) -> Part {
        let words = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let last = words.dropFirst(2).joined(separator: ".")
        if words.count == 4, words.first == "steps", artifactIndex(of: last) != nil {
            return .reported(step: words[1], value: last)
        }
        guard words.allSatisfy({ Shape.isName($0, limit: 40) }) else {
            throw TextTemplate.Mistake(
                "“{{\(name.prefix(80))}}” is no value: write the name of an input, such as {{database}}, or of what a step "
                    + "reported, such as {{steps.dump.file}}. \(BracedText.escape)")
        }
        if let special = special(name, scope) { return .special(special) }
        if words.count == 1, let input = words.first { return .input(input) }
        if words.first == "item" {
            throw TextTemplate.Mistake("“{{\(name.prefix(80))}}” has a value only in a step with `for_each`.")
        }
        guard words.count == 3, words.first == "steps" else {
            throw TextTemplate.Mistake(
                "“{{\(name.prefix(80))}}” is no value: what a step reported is written as {{steps.dump.file}}.")
        }
        return .reported(step: words[1], value: words[2])
    }
}
