import WeirStates

extension StepOrder {
    /// A mistake in the order of steps, in a sentence for its author.
    package struct Mistake: Sendable {
        package enum Place: Sendable {
            /// A step that another one waits for.
            case need(String)
            case needs, whenFailed, name
        }

        package let step: String
        package let place: Place
        package let sentence: String
    }

    /// The steps whose needs cannot be met; `whenFailed` is the name of that declaration.
    package func mistakes(whenFailed: String) -> [Mistake] {
        entries.flatMap { mistakes(of: $0, whenFailed) }
            + circles.map { circle in
                Mistake(
                    step: circle[0], place: .need(circle[1]),
                    sentence:
                        "These steps wait for each other: \(circle.joined(separator: " → ")). Remove one of these needs."
                )
            }
    }

    private func mistakes(of entry: Entry, _ whenFailed: String) -> [Mistake] {
        let name = entry.name
        var mistakes = entry.dependencies.compactMap { need in
            sentence(on: need, of: entry).map { Mistake(step: name, place: .need(need), sentence: $0) }
        }
        if entry.isFinally {
            let keys: [(Mistake.Place, String, Bool)] = [
                (.needs, "needs", entry.declaresNeeds), (.whenFailed, whenFailed, entry.declaresFailures),
            ]
            for (place, key, isDeclared) in keys where isDeclared {
                mistakes.append(
                    Mistake(
                        step: name, place: place,
                        sentence: "The step “\(name)” has `finally` and follows all others. Remove `\(key)`."))
            }
        } else if !entry.afterFailureOf.isEmpty, Set(entry.afterFailureOf).isSubset(of: successes(before: name)) {
            let steps = entry.afterFailureOf.map { "“\($0)”" }.joined(separator: ", ")
            mistakes.append(
                Mistake(
                    step: name, place: .name,
                    sentence:
                        "The step “\(name)” can never run: it needs \(steps) to succeed, and to fail. Remove that "
                        + "from `needs` or `\(whenFailed)`."))
        }
        return mistakes
    }

    private func sentence(on need: String, of entry: Entry) -> String? {
        if need == entry.name { return "The step “\(need)” waits for itself. Remove that." }
        if self[need]?.isFinally == true, !entry.isFinally {
            return "The step “\(need)” has `finally` and runs after all others, so that no step can wait for it."
        }
        guard isGraph else {
            return before(entry.name).contains(need) ? nil : sentence(onValuesOf: need, in: entry.name)
        }
        guard self[need] == nil else { return nil }
        let others = names.filter { $0 != entry.name }
        let remedy =
            NearestName.of(need, among: others).map { "Did you mean “\($0)”?" }
            ?? (others.isEmpty ? "There is no other step." : "There are \(others.joined(separator: ", ")).")
        return "There is no step “\(need.prefix(40))”. \(remedy)"
    }

    /// Why a step cannot use the values of another that is not over when it begins.
    package func sentence(onValuesOf name: String, in step: String) -> String {
        if name == step { return "The step “\(name)” refers to itself. Name another step." }
        if isGraph, let other = self[name] {
            return other.isFinally
                ? "The step “\(name)” runs after all others, so that this one cannot use it."
                : "The step “\(name)” may not be over when this one begins. Name it in `needs`."
        }
        let before = before(step)
        let remedy =
            NearestName.of(name, among: before).map { "Did you mean “\($0)”?" }
            ?? (before.isEmpty ? "This is the first one." : "Before it come \(before.joined(separator: ", ")).")
        return "There is no step “\(name.prefix(40))” before this one. \(remedy)"
    }

    /// The values with which a condition cannot be met, as an English list; nil if one of the values meets the tests.
    package func unmet(
        _ tests: [StepCondition.Test], on source: StepCondition.Source, of step: String, fields: [InputField]
    ) -> String? {
        guard let values = values(of: source, in: step, fields),
            !values.contains(where: { value in tests.allSatisfy { $0.holds(for: value) } })
        else { return nil }
        return values.compactMap { $0?.exactText }.joined(separator: ", ")
    }

    /// All values of a source, nil for an absent one; or nil if they are not known.
    private func values(
        of source: StepCondition.Source, in step: String, _ fields: [InputField]
    ) -> [JSONValue?]? {
        switch source {
        case .input(let name):
            guard let field = fields.first(where: { $0.name == name }) else { return nil }
            var values: [JSONValue?]
            switch field.kind {
            case .choice where field.takesSeveral: return nil
            case .choice(let options) where !options.isEmpty: values = options.map { .string($0) }
            case .boolean: values = [.bool(true), .bool(false)]
            default: return nil
            }
            if !field.isRequired || !field.conditions.isEmpty { values.append(nil) }
            return values
        case .step(let name, "outcome"):
            return ["succeeded", "skipped"]
                + (successes(before: step).contains(name) ? [] : ["failed", "cancelled", "interrupted"])
        case .outcome: return ["succeeded", "failed", "cancelled"]
        case .step, .own: return nil
        }
    }
}
