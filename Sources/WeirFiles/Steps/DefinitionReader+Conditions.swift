import WeirBoards
import WeirOperations
import WeirStates

/// The names that the texts of a step can contain.
struct StepScope {
    let name: String
    let order: StepOrder
    /// Whether it runs once for each item of a list.
    let isForEach: Bool
    var isFinally: Bool { order[name]?.isFinally == true }
    var before: [String] { order.before(name) }
}

/// The condition of a step as declared, with the program that is a part of it.
struct DeclaredCondition: Sendable {
    let condition: StepCondition
    let program: OperationDefinition?
    /// The values of other steps that it reads, with their places.
    let reported: [(step: String, value: String, place: FilePlace)]
}

extension DefinitionReader {
    /// Reads `if`; `program` is the mapping from which the program of a condition takes its surroundings.
    mutating func condition(
        _ value: FileValue?, _ step: FileValue, _ scope: StepScope, _ inputs: [DeclaredInput]
    ) -> DeclaredCondition? {
        guard let value else { return nil }
        guard let members = value.members, !members.isEmpty else {
            list.note(value, "`if` has no condition. Write one such as {inputs.version: \"2.*\"}.")
            return nil
        }
        var rules: [StepCondition.Rule] = []
        var reported: [(step: String, value: String, place: FilePlace)] = []
        var command: (StepCondition.Command, OperationDefinition)?
        for member in members {
            if member.name == "command" {
                command = conditionCommand(member.value, step, scope, inputs, &reported)
                continue
            }
            guard let source = source(member, scope) else { continue }
            if case .step(let name, let value) = source { reported.append((name, value, member.place)) }
            let own = tests(member.value).map { StepCondition.Rule(source, $0) }
            checkCanHold(own, member, scope)
            rules += own
        }
        return DeclaredCondition(
            condition: StepCondition(rules, command: command?.0), program: command?.1, reported: reported)
    }

    /// Reads `until` of a repetition, whose rules are about the values of the step's own run.
    mutating func until(_ value: FileValue?, of step: FileValue) -> StepCondition? {
        guard let members = value?.members else { return nil }
        if members.isEmpty, let value {
            list.note(value, "`until` has no condition. Write one such as {exit_code: 0}.")
        }
        return StepCondition(
            members.flatMap { member -> [StepCondition.Rule] in
                if member.name == "command" {
                    list.note(
                        member.place,
                        "`until` is about the run of the step, and runs no program. Let the step's program make the test, "
                            + "and write {exit_code: 0}.")
                    return []
                }
                guard Shape.isName(member.name, limit: 40) else {
                    list.note(
                        member.place,
                        "“\(member.name.prefix(60))” is no value of the step's run: write exit_code, outcome, output, or the "
                            + "name of a value that it reports.")
                    return []
                }
                let tests = tests(member.value)
                if !Self.mayReport(member.name, step) { checkCanEnd(tests, member) }
                return tests.map { .init(.own(member.name), $0) }
            })
    }

    /// Reports a mistyped condition about the end of the step's run, which no run meets unless its program reports a value of
    /// that name.
    private mutating func checkCanEnd(_ tests: [StepCondition.Test], _ member: FileMember) {
        let (values, words): ([JSONValue?], String)
        switch member.name {
        case "outcome" where Self.isMistypedOutcome(tests):
            values = Self.outcomes.map { .string($0) }
            words = "An outcome is succeeded, failed, cancelled or interrupted."
        case "exit_code":
            values = [nil] + (0...255).map { .integer($0) }
            words = "An exit code is a whole number from 0 to 255."
        case let name where name.lowercased().filter(\.isLetter) == "exitcode":
            return list.note(
                member.place,
                "A run of the step has no value “\(name)”. Did you mean `exit_code`? \(Self.reportsName)")
        default: return
        }
        guard !tests.isEmpty, !values.contains(where: { value in tests.allSatisfy { $0.holds(for: value) } }) else {
            return
        }
        list.note(member.place, "No run of the step can meet this condition. \(words) \(Self.reportsName)")
    }

    private static let outcomes = ["succeeded", "failed", "cancelled", "interrupted"]
    private static let reportsName = "If its program reports this value, name it in the `show` of a state."

    /// Whether a text begins as an outcome does.
    private static func isMistypedOutcome(_ tests: [StepCondition.Test]) -> Bool {
        tests.contains { test in
            guard case .isOneOf(let texts) = test else { return false }
            return texts.contains { text in outcomes.contains { text.lowercased().hasPrefix($0.prefix(4)) } }
        }
    }

    /// Whether the step's program may report a value: its name occurs in the step, or another file has the program.
    private static func mayReport(_ name: String, _ step: FileValue) -> Bool {
        step["uses"] != nil || (step.members ?? []).contains { $0.name != "repeat" && mentions(name, $0.value) }
    }

    private static func mentions(_ name: String, _ value: FileValue) -> Bool {
        value.text?.contains(name) == true || value.list?.contains { mentions(name, $0) } == true
            || value.members?.contains { $0.name == name || mentions(name, $0.value) } == true
    }

    private mutating func source(_ member: FileMember, _ scope: StepScope) -> StepCondition.Source? {
        let words = member.name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        switch (words.first, words.count) {
        case ("inputs", 2):
            guard isField(words[1]) else {
                noteUnknown(words[1], FileValue(content: member.value.content, place: member.place))
                return nil
            }
            if fields[words[1]]?.isSecret == true {
                list.note(
                    member.place,
                    "The secret “\(words[1])” cannot decide, because everybody sees whether the step is run.")
            }
            return .input(words[1])
        case ("steps", 3):
            guard checkReference(words[1], words[2], member.place, scope) else { return nil }
            return .step(words[1], value: words[2])
        case ("outcome", 1) where scope.isFinally: return .outcome
        case (let name?, _) where scope.isForEach && ["item", "index"].contains(name):
            list.note(member.place, Self.noItem)
            return nil
        default:
            list.note(
                member.place,
                "“\(member.name.prefix(60))” is no value: write inputs.NAME, steps.NAME.VALUE, or outcome in a step with "
                    + "`finally`.")
            return nil
        }
    }

    /// The tests of one value.
    mutating func tests(_ value: FileValue) -> [StepCondition.Test] {
        if let text = value.text { return [.isOneOf([text])] }
        if let texts = value.list { return [.isOneOf(texts.compactMap(\.text))] }
        var tests: [StepCondition.Test] = []
        for member in value.members ?? [] {
            switch member.name {
            case "above": member.value.exactNumber.map { tests.append(.isAbove($0)) }
            case "below": member.value.exactNumber.map { tests.append(.isBelow($0)) }
            case "match": pattern(member.value, for: .line).map { tests.append(.matches($0.text)) }
            case "not": tests += self.tests(member.value).map { .not($0) }
            default: break
            }
        }
        if tests.isEmpty, value.members?.isEmpty == true { list.note(value, "There is no test in these braces.") }
        return tests
    }

    /// Reports a test that no value of its source can meet, so that the step would never run.
    private mutating func checkCanHold(_ rules: [StepCondition.Rule], _ member: FileMember, _ scope: StepScope) {
        if case .input(let name)? = rules.first?.source, let bounds = Self.emptyRange(rules.map(\.test)) {
            switch fields[name]?.kind {
            case .integer, .number:
                list.note(
                    member.place,
                    "The step “\(scope.name)” can never run: no number is above \(bounds.above) and below \(bounds.below). "
                        + "Correct the condition.")
            default: break
            }
        }
        guard let source = rules.first?.source,
            let words = scope.order.unmet(
                rules.map(\.test), on: source, of: scope.name, fields: Array(fields.values))
        else { return }
        list.note(
            member.place,
            "The step “\(scope.name)” can never run: `\(member.name)` is one of \(words) when it could begin. Correct the "
                + "condition.")
    }

    /// The bounds of tests that no number passes.
    private static func emptyRange(_ tests: [StepCondition.Test]) -> (above: String, below: String)? {
        var (above, below): (JSONNumber?, JSONNumber?)
        for test in tests {
            switch test {
            case .isAbove(let bound): above = bound
            case .isBelow(let bound): below = bound
            case .isOneOf, .matches, .not: break
            }
        }
        guard let above, let below, !above.isLess(than: below) else { return nil }
        return (JSONValue.number(above).exactText ?? "", JSONValue.number(below).exactText ?? "")
    }

    private mutating func conditionCommand(
        _ command: FileValue, _ step: FileValue, _ scope: StepScope, _ inputs: [DeclaredInput],
        _ reported: inout [(step: String, value: String, place: FilePlace)]
    ) -> (StepCondition.Command, OperationDefinition)? {
        guard command.list != nil else {
            list.note(command, "`command` must be a list of a program and its arguments, such as [test, -e, ready].")
            return nil
        }
        let id = "\(id)-\(scope.name)-if"
        guard OperationFolder.isID(id) else {
            list.note(command, "“\(id)” is longer than 40 characters. Choose a shorter name for the step.")
            return nil
        }
        if scope.isForEach, step["literal"]?.flag != true, let text = command.leaves.first(where: Self.mentionsItem) {
            list.note(text, Self.noItem)
            return nil
        }
        let surroundings = ["env", "working_dir", "limits", "umask", "literal"]
        let members = (step.members ?? []).filter { surroundings.contains($0.name) }.map { member in
            // Variables with the item are those of the step's own program.
            guard member.name == "env", scope.isForEach, let variables = member.value.members else { return member }
            let kept = variables.filter { !Self.mentionsItem($0.value) }
            return FileMember(
                name: member.name, place: member.place,
                value: FileValue(content: .mapping(kept), place: member.value.place))
        }
        let root = FileValue(
            content: .mapping([FileMember(name: "command", place: command.place, value: command)] + members),
            place: command.place)
        let title = LocalizedText(step["title"]) ?? LocalizedText(scope.name)
        let alone = StepScope(name: scope.name, order: scope.order, isForEach: false)
        let values = mentionedValues(root, alone)
        for given in values {
            for case .reported(let name, let value) in given.value.parts {
                reported.append((name, value, given.valuePlace))
            }
        }
        guard let program = definition(root, id: id, title: title, own(inputs, values, root, alone), isStep: true)
        else { return nil }
        let input = StepValue.inputs(of: program, alone).merging(values.map { ($0.name, $0.value) }) { $1 }
        let words = (command.list ?? []).compactMap(\.text).joined(separator: " ")
        return (StepCondition.Command(operation: id, input: input, words: String(words.prefix(200))), program)
    }

    private static let noItem = """
        The condition is tested once, before the step has its items, so that an item has no value in it. Test the item in the \
        step's program, or list only the items to run in `for_each`.
        """

    private static func mentionsItem(_ value: FileValue) -> Bool {
        (BracedText.parts(of: value.text ?? "") ?? []).contains { part in
            guard case .name(let name) = part else { return false }
            return StepScope.key(of: Substring(name).trimmingSpaces) == "for_each"
        }
    }

    // MARK: References

    /// Checks a reference to a value of another step; returns whether it can be read.
    @discardableResult
    mutating func checkReference(_ name: String, _ value: String, _ place: FilePlace, _ scope: StepScope) -> Bool {
        guard scope.before.contains(name) else {
            list.note(place, scope.order.sentence(onValuesOf: name, in: scope.name))
            return false
        }
        guard let other = stepValues[name], value != "outcome" else { return true }
        if StepValue.isArtifacts(value), other["artifacts"] == nil, other["uses"] == nil {
            list.note(
                place,
                "The step “\(name)” keeps no files. Give it `artifacts`, such as [dist/*.tar.gz], or remove the reference."
            )
            return false
        }
        if other["approve"] != nil {
            list.note(place, "The step “\(name)” asks a person, and reports no values.")
            return false
        }
        if other["for_each"] != nil, !["total", "succeeded", "failed"].contains(value) {
            list.note(
                place,
                "The step “\(name)” is run once for each item, and has no value “\(value)”: there are total, succeeded, "
                    + "failed and outcome.")
            return false
        }
        return true
    }
}
