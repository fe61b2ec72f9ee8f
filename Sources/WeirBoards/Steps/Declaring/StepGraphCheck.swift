import WeirOperations
import WeirStates

/// Finds the mistakes in a graph declared in Swift, also in its use of other operations.
///
/// Order, references and conditions have the same rules and sentences as in files.
struct StepGraphCheck {
    private let id: String
    private let steps: [StepDeclaration]
    private let order: StepOrder
    private let fields: [InputField]
    private let parts: [String: CatalogEntry]
    private let catalog: Catalog
    private(set) var mistakes: [String] = []

    private let nesting: StepNesting

    init<Input>(_ graph: StepGraph<Input>, id: String, parts: [String: CatalogEntry], in catalog: Catalog) {
        self.id = id
        (steps, fields, self.parts, self.catalog) = (graph.steps, Input.fields, parts, catalog)
        var uses = Dictionary(catalog.entries.map { ($0.id, $0.plan?.operations ?? []) }) { first, _ in first }
        uses[id] = Set(steps.compactMap { if case .other(let used, _, _) = $0.work { used } else { nil } })
        nesting = StepNesting(uses)
        order = StepOrder(
            entries: steps.map {
                StepOrder.Entry(
                    name: $0.name, needs: $0.needs, afterFailureOf: $0.afterFailureOf.isEmpty ? nil : $0.afterFailureOf,
                    isFinally: $0.isFinally, allowsFailure: $0.allowsFailure)
            }, isGraph: steps.contains { $0.needs != nil })
        if !OperationID.isValid(id) {
            mistakes.append("“\(id.prefix(60))” cannot be an id: it has at most 40 of a-z, 0-9 and single hyphens.")
        }
        if let whole = catalog[id]?.partOf {
            mistakes.append("“\(id)” is the id of a step of the operation “\(whole)”. Choose another id.")
        }
        if !(1...200).contains(steps.count) {
            mistakes.append("There are \(steps.count) steps; a graph has 1 to 200. Change their number.")
        }
        if !(1...100).contains(graph.atOnce) {
            mistakes.append("`atOnce` is \(graph.atOnce); it must be 1 to 100.")
        }
        var names: Set<String> = []
        for step in steps { checkName(step, isNew: names.insert(step.name).inserted) }
        for mistake in order.mistakes(whenFailed: "whenFailed") { note(mistake.step, mistake.sentence) }
        for step in steps { check(step) }
    }

    private mutating func note(_ step: String, _ sentence: String) {
        let whole = sentence.contains("“\(step)”") ? sentence : "The step “\(step)”: \(sentence)"
        if !mistakes.contains(whole) { mistakes.append(whole) }
    }

    // MARK: - The step

    private mutating func checkName(_ step: StepDeclaration, isNew: Bool) {
        let name = step.name
        if !isNew { note(name, "There is a step “\(name)” already. Rename one.") }
        if StepsState.ownNames.contains(name) || name == "retrying" {
            note(name, "“\(name)” is a state that every operation has. Choose another name for the step.")
        }
        if !OperationID.isValid(name) || name.utf8.count > 30 || name.first?.isNumber == true {
            note(
                name,
                "The name “\(name.prefix(60))” is not possible: a name begins with a letter and has at most 30 of a-z, 0-9 and "
                    + "single hyphens, such as roll-back.")
        } else if case .own = step.work {
            let part = step.partID(in: id)
            if part.utf8.count > 40 {
                note(name, "“\(part)” is longer than 40 characters. Choose a shorter name for the step.")
            }
            if let other = catalog[part], other.partOf != id {
                note(name, "There is an operation “\(part)” already. Rename the step.")
            }
        }
    }

    private mutating func check(_ step: StepDeclaration) {
        for problem in step.problems { note(step.name, problem) }
        checkNumbers(step)
        for (_, value) in step.input.sorted(by: { $0.key < $1.key }) { checkReferences(value, of: step) }
        switch step.work {
        case .approval(let approval): check(approval, of: step)
        case .own:
            guard let entry = parts[step.name] else { break }
            for problem in entry.problems { note(step.name, problem) }
            checkInput(step, entry)
        case .other(let used, let type, let isOfType):
            guard let entry = entry(used, of: step) else { break }
            if let type, !isOfType(entry) {
                note(step.name, "The operation “\(used)” is no \(type). Correct the id or the type.")
            }
            checkInput(step, entry)
        }
        checkCondition(step)
        if let forEach = step.forEach { check(forEach, of: step) }
    }

    private mutating func checkNumbers(_ step: StepDeclaration) {
        let counts: [(String, Int?)] = [
            ("The limit of `retry`", step.retry?.limit), ("The limit of `repeats`", step.repetition?.limit),
            ("`atOnce`", step.forEach?.atOnce),
        ]
        for case (let name, let count?) in counts where count < 1 {
            note(step.name, "\(name) is \(count); it must be at least 1.")
        }
        let times: [(String, Duration?, Duration)] = [
            ("The interval of `retry`", step.retry?.interval, .zero),
            ("The interval of `repeats`", step.repetition?.interval, .zero),
            ("`timeout`", step.timeout, .nanoseconds(1)),
        ]
        for case (let name, let time?, let least) in times where time < least {
            note(step.name, "\(name) is \(time); it must be longer.")
        }
        if step.retry != nil, step.repetition != nil {
            note(step.name, "A step has `repeats` or `retry`, not both. Remove one.")
        }
    }

    private mutating func check(_ approval: StepsPlan.Approval, of step: StepDeclaration) {
        checkReferences(approval.prompt, of: step)
        for who in approval.who {
            let parts = who.split(separator: ":", maxSplits: 1)
            guard parts.count != 2 || !["role", "group", "user"].contains(parts[0]) else { continue }
            note(
                step.name,
                "“\(who.prefix(60))” is not a role, group or user: write role:NAME, group:NAME or user:NAME.")
        }
        if let within = approval.within, within <= .zero {
            note(step.name, "`within` is \(within); it must be longer.")
        }
        if approval.approvesByItself, approval.within == nil {
            note(step.name, "`approvesByItself` needs `within`, the time after which it counts.")
        }
    }

    // MARK: - Lists and conditions

    private mutating func check(_ forEach: StepsPlan.ForEach, of step: StepDeclaration) {
        switch forEach.list {
        case .fixed(let items):
            if items.isEmpty {
                note(step.name, "The step “\(step.name)” can never run: its list is empty. Give it items.")
            } else if items.count > StepItems.limit {
                note(
                    step.name,
                    "The list has \(items.count) items; a step takes at most \(StepItems.limit). Divide the list.")
            }
        case .value(let value):
            checkReferences(value, of: step, isList: true)
            for case .input(let name) in value.parts where isSecret(name) {
                note(
                    step.name, "The secret “\(name)” cannot be a list, because the items of a list are recorded.")
            }
        }
    }

    private mutating func checkCondition(_ step: StepDeclaration) {
        var tests: [(source: StepCondition.Source, tests: [StepCondition.Test])] = []
        for rule in step.rules {
            if let index = tests.firstIndex(where: { $0.source == rule.source }) {
                tests[index].tests.append(rule.test)
            } else {
                tests.append((rule.source, [rule.test]))
            }
        }
        for (source, tests) in tests {
            switch source {
            case .input(let name):
                checkReferences(StepValue([.input(name)]), of: step)
                if isSecret(name) {
                    note(
                        step.name,
                        "The secret “\(name)” cannot decide, because everybody sees whether the step is run.")
                }
            case .step(let name, let value): checkReferences(StepValue([.reported(step: name, value: value)]), of: step)
            case .outcome: checkReferences(StepValue([.special(.outcome)]), of: step)
            case .own: break
            }
            guard let words = order.unmet(tests, on: source, of: step.name, fields: fields) else { continue }
            note(
                step.name,
                "The step “\(step.name)” can never run: \(source.words) is one of \(words) when it could begin. Correct the "
                    + "condition.")
        }
    }

    private func isSecret(_ input: String) -> Bool { fields.contains { $0.name == input && $0.isSecret } }

    // MARK: - References

    /// Checks whether a value exists when the step begins; the list of `forEach` cannot contain its items.
    private mutating func checkReferences(_ value: StepValue, of step: StepDeclaration, isList: Bool = false) {
        for part in value.parts {
            switch part {
            case .text: break
            case .input(let name):
                guard !name.isEmpty, !fields.contains(where: { $0.name == name }) else { break }
                note(step.name, "The operation has no input “\(name)”. \(Self.remedy(name, fields.map(\.name)))")
            case .reported(let other, let value): checkReported(other, value, in: step)
            case .special(.item), .special(.index):
                guard step.forEach == nil || isList else { break }
                note(step.name, "“item” and “index” have a value only in a step with `forEach`.")
            case .special(.outcome), .special(.failedSteps):
                guard !step.isFinally else { break }
                note(step.name, "“outcome” and “failedSteps” have a value only in a step with `finally`.")
            }
        }
    }

    private mutating func checkReported(_ name: String, _ value: String, in step: StepDeclaration) {
        guard order.before(step.name).contains(name), let other = steps.first(where: { $0.name == name }) else {
            return note(step.name, order.sentence(onValuesOf: name, in: step.name))
        }
        guard value != "outcome" else { return }
        if other.forEach != nil {
            guard !["total", "succeeded", "failed"].contains(value) else { return }
            return note(
                step.name,
                "The step “\(name)” is run once for each item, and has no value “\(value)”: there are total, succeeded, "
                    + "failed and outcome.")
        }
        let entry: CatalogEntry?
        switch other.work {
        case .approval: return note(step.name, "The step “\(name)” asks a person, and reports no values.")
        case .own: entry = parts[name]
        case .other(let used, _, _): entry = catalog[used]
        }
        guard !["exit_code", "output"].contains(value), let entry else { return }
        if entry.plan != nil {
            return note(step.name, "The step “\(name)” is made of steps itself, and reports no values.")
        }
        // Optional members may be missing from the samples, and programs report values that no sample has.
        let known = Set(entry.samples.filter { $0.phase == .succeeded }.flatMap { ($0.payload.object ?? [:]).keys })
        guard !known.contains(value) else { return }
        let nearest = NearestName.of(value, among: known.sorted())
        guard nearest != nil || value == "result" else { return }
        let remedy = nearest.map { "Did you mean “\($0)”?" } ?? "There are \(known.sorted().joined(separator: ", "))."
        note(step.name, "The step “\(name)” reports no value “\(value)”. \(remedy)")
    }

    // MARK: - Other operations

    private mutating func entry(_ used: String, of step: StepDeclaration) -> CatalogEntry? {
        guard let entry = catalog[used], entry.partOf == nil else {
            let names = catalog.entries.filter { $0.partOf == nil }.map(\.id)
            note(
                step.name,
                "There is no operation “\(used.prefix(40))”. \(Self.remedy(used, names)) Add the operations that steps use "
                    + "before the graph.")
            return nil
        }
        if entry.isReported {
            note(
                step.name,
                "Runs of “\(used)” are reported by programs elsewhere, so that no step can start one.")
        }
        if let mistake = nesting.mistake(of: used, in: id) { note(step.name, mistake) }
        return entry
    }

    private mutating func checkInput(_ step: StepDeclaration, _ entry: CatalogEntry) {
        for (name, value) in step.input.sorted(by: { $0.key < $1.key }) {
            guard let field = entry.fields.first(where: { $0.name == name }) else {
                note(
                    step.name,
                    "The operation “\(entry.id)” has no input `\(name)`. \(Self.remedy(name, entry.fields.map(\.name)))"
                )
                continue
            }
            check(value, for: field, of: step)
        }
        for field in entry.fields where field.alwaysNeedsValue && step.input[field.name] == nil {
            note(step.name, "The operation “\(entry.id)” needs the input `\(field.name)`. Give it by `with`.")
        }
    }

    private mutating func check(_ value: StepValue, for field: InputField, of step: StepDeclaration) {
        let sources = value.parts.compactMap { part -> InputField? in
            guard case .input(let name) = part else { return nil }
            return fields.first { $0.name == name }
        }
        if !field.isSecret, let secret = sources.first(where: \.isSecret) {
            note(
                step.name,
                "The secret “\(secret.name)” would be recorded as the input `\(field.name)`, which is none. Give it to a secret."
            )
        }
        guard value.parts.count == 1 else { return }
        if let source = sources.first, !field.accepts(every: source) {
            note(
                step.name,
                "The input “\(source.name)” is \(source.valueWords), and `\(field.name)` takes \(field.valueWords). Change the type of one."
            )
        }
        guard case .text(let text)? = value.parts.first else { return }
        do throws(InputMistakes) {
            _ = try InputField.validate(
                InputField.object(fromForm: [field.name: text], fields: [field]), fields: [field])
        } catch {
            note(step.name, "“\(text.prefix(40))” does not fit `\(field.name)`. \(error.mistakes.first?.detail ?? "")")
        }
    }

    private static func remedy(_ name: String, _ known: [String]) -> String {
        NearestName.of(name, among: known).map { "Did you mean “\($0)”?" }
            ?? (known.isEmpty ? "There are none." : "There are \(known.joined(separator: ", ")).")
    }
}
