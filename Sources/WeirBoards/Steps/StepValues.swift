import WeirJournals
package import WeirOperations
package import WeirStates

/// An item of a step that runs once for each of a list.
struct StepItem: Sendable, Hashable {
    let index: Int
    let value: JSONValue

    /// The item for people.
    var text: String { value.exactText ?? (try? value.text()) ?? "" }

    func member(_ name: String) -> JSONValue? { value.itemMember(named: name) }
}

extension JSONValue {
    /// A member of an item, or of the JSON object that is its text.
    package func itemMember(named name: String) -> JSONValue? {
        if let member = member(named: name) { return member }
        guard let text = string, text.first(where: { !$0.isWhitespace }) == "{" else { return nil }
        return (try? JSONValue(parsing: text))?.member(named: name)
    }

    /// The member of that name, also one whose letters differ in case as names of variables do; in a list, by its index.
    func member(named name: String) -> JSONValue? {
        if let member = self[name] { return member }
        let variable = name.lowercased().replacing("-", with: "_")
        let members = object?.filter { $0.key.lowercased().replacing("-", with: "_") == variable }
        return members?.min { $0.key < $1.key }?.value
            ?? Int(name).flatMap { element(at: $0) }
    }
}

/// The values that are known when a step begins.
struct StepMoment: Sendable {
    let progress: StepsProgress
    /// The outcome of the other steps, for a step that runs after all of them.
    var outcome: String?
    var failedSteps: [String] = []
    var item: StepItem?

    func special(_ name: StepValue.Special) -> JSONValue? {
        switch name {
        case .item(nil): item?.value
        case .item(let member?): item?.member(member)
        case .index: item.map { .integer(Int64($0.index)) }
        case .outcome: outcome.map(JSONValue.string)
        case .failedSteps: .string(failedSteps.joined(separator: ", "))
        }
    }
}

/// Builds the inputs of steps from the input of the whole run and the values that earlier steps reported.
struct StepValues: Sendable {
    let input: [String: JSONValue]
    let fields: [InputField]
    let host: StepsHost

    /// The input of a step, without the fields that refer to an absent input.
    ///
    /// A step that runs after all others also lacks the fields that refer to a value that a step did not report. Throws
    /// `StepRefusal` if a secret was lost in a restart or a step did not report a value.
    func input(
        _ values: [String: StepValue], at moment: StepMoment
    ) async throws(StepRefusal) -> [String: JSONValue] {
        let reported = try await reported(to: Array(values.values), moment.progress)
        var filled: [String: JSONValue] = [:]
        for (name, value) in values {
            do throws(StepValue.Missing) {
                let whole = try value.filled(input: input, reported: reported, special: moment.special)
                filled[name] = value.isOutput ? whole.string.flatMap { try? JSONValue(parsing: $0) } ?? whole : whole
            } catch {
                switch error {
                case .input(let name): try requireKept(name)
                case .reported where moment.outcome != nil: continue
                default: throw StepRefusal(.noValue, moment.absence(error))
                }
            }
        }
        return filled
    }

    /// The items of a list.
    func items(_ list: StepsPlan.ForEach.List, at moment: StepMoment) async throws(StepRefusal) -> [StepItem] {
        let values: [JSONValue]
        switch list {
        case .fixed(let fixed): values = fixed
        case .value(let template):
            let reported = try await reported(to: [template], moment.progress)
            let value: JSONValue
            do throws(StepValue.Missing) {
                value = try template.filled(input: input, reported: reported, special: moment.special)
            } catch {
                if case .input(let name) = error {
                    try requireKept(name)
                    return []
                }
                throw StepRefusal(.noValue, moment.absence(error))
            }
            values = value.array ?? Self.lines(value.exactText ?? "")
        }
        guard values.count <= StepItems.limit else {
            throw StepRefusal(
                .noValue,
                "The list has \(values.count) items; a step takes at most \(StepItems.limit). Divide the list.")
        }
        return values.enumerated().map { StepItem(index: $0.offset, value: $0.element) }
    }

    /// The items of a text: those of a JSON array, or its lines without empty ones.
    private static func lines(_ text: String) -> [JSONValue] {
        if let parsed = (try? JSONValue(parsing: text))?.array { return parsed }
        return text.split(whereSeparator: \.isNewline).map { .string(String($0)) }
            .filter { $0.string?.allSatisfy(\.isWhitespace) == false }
    }

    /// Throws if an absent input is a secret that was lost in a restart.
    private func requireKept(_ name: String) throws(StepRefusal) {
        guard host.isResumed, isSecret(name) else { return }
        throw StepRefusal(
            .noValue, "The secret “\(name)” is not kept over a restart of the server. Start the operation again.")
    }

    private func isSecret(_ input: String) -> Bool { fields.contains { $0.name == input && $0.isSecret } }

    /// A display text, in which unknown and secret values are empty.
    func text(_ value: StepValue, at moment: StepMoment) async -> String {
        let reported = (try? await reported(to: [value], moment.progress)) ?? [:]
        return value.parts.map { part -> String in
            if case .input(let name) = part, isSecret(name) { return "" }
            let filled = try? StepValue([.text(""), part]).filled(
                input: input, reported: reported, special: moment.special)
            return filled?.string ?? ""
        }.joined()
    }

    // MARK: Conditions

    /// The first rule of a condition that does not hold.
    func unmet(_ condition: StepCondition, at moment: StepMoment) async throws(StepRefusal) -> StepCondition.Rule? {
        let sources = condition.rules.compactMap { rule -> StepValue.Part? in
            guard case .step(let step, let value) = rule.source else { return nil }
            return .reported(step: step, value: value)
        }
        let reported = try await reported(to: [StepValue(sources)], moment.progress)
        return condition.unmet { source in
            switch source {
            case .input(let name): given(name)
            case .step(let step, let value): reported[step]?[value]
            case .outcome: moment.outcome.map(JSONValue.string)
            case .own: nil
            }
        }
    }

    /// The value of an input; a switch without one is off, as in a form.
    private func given(_ name: String) -> JSONValue? {
        input[name] ?? (fields.contains { $0.name == name && $0.kind == .boolean } ? .bool(false) : nil)
    }

    /// The first rule about a run that does not hold.
    func unmet(_ condition: StepCondition, of run: RunRecord, step: String) async throws(StepRefusal)
        -> StepCondition.Rule?
    {
        var values = Self.values(of: run)
        let needsOutput = condition.rules.contains { $0.source == .own("output") }
        if values["outcome"] == nil { values["outcome"] = .string(run.state.phase.rawValue) }
        if needsOutput, values["output"] == nil {
            values["output"] = .string(try await host.output(of: run.id, step: step))
        }
        return condition.unmet { source in
            guard case .own(let name) = source else { return nil }
            return values[name]
        }
    }

    // MARK: What steps reported

    /// The final values of the steps that these values refer to.
    ///
    /// `outcome`, `exit_code` and `output` are values of every step's run that does not report a value of that name.
    private func reported(
        to values: [StepValue], _ progress: StepsProgress
    ) async throws(StepRefusal) -> [String: [String: JSONValue]] {
        var names: [String: Set<String>] = [:]
        for case .reported(let step, let value) in values.flatMap(\.parts) { names[step, default: []].insert(value) }
        var reported: [String: [String: JSONValue]] = [:]
        for step in progress.steps where step.status.isOver {
            guard let wanted = names[step.name] else { continue }
            reported[step.name] = try await self.values(of: step, wanted)
        }
        return reported
    }

    private func values(
        of step: StepsProgress.Step, _ wanted: Set<String>
    ) async throws(StepRefusal) -> [String: JSONValue] {
        var values: [String: JSONValue] = [:]
        if let items = step.items {
            for (name, count) in [
                ("total", items.total), ("succeeded", items.succeeded), ("failed", items.failed),
            ] { values[name] = .integer(Int64(count)) }
        } else if let id = step.run, let run = await host.record(of: id) {
            values = Self.values(of: run, isComplete: step.status == .succeeded)
            if wanted.contains("output"), values["output"] == nil {
                let text = try await host.output(of: id, step: step.name)
                values["output"] = .string(text)
            }
            if wanted.contains("artifacts") {
                values["artifacts"] = await host.artifacts(of: run).map { .array($0.map(JSONValue.string)) }
            }
            for name in wanted {
                guard let index = StepValue.artifactIndex(of: name) else { continue }
                values[name] = await host.artifact(index, of: run).map(JSONValue.string)
            }
        }
        if values["outcome"] == nil { values["outcome"] = .string(step.status.rawValue) }
        return values
    }

    /// The values of a run at its end; of one that did not succeed, only its exit code.
    static func values(of run: RunRecord, isComplete: Bool = true) -> [String: JSONValue] {
        let payload = run.state.payload.object ?? [:]
        let code = payload["code"] ?? (run.state.phase == .succeeded ? .integer(0) : nil)
        var values: [String: JSONValue] = [:]
        if isComplete {
            values = payload.filter { $0.value.exactText != nil || $0.value.array != nil }.merging(
                payload["values"]?.object ?? [:]
            ) { $1 }
        }
        if values["exit_code"] == nil { values["exit_code"] = code }
        return values
    }
}

extension StepValue {
    /// The index in a reference to a file that a step keeps: `artifacts.0`.
    package static func artifactIndex(of value: String) -> Int? {
        let words = value.split(separator: ".", omittingEmptySubsequences: false)
        guard words.count == 2, words.first == "artifacts", let index = words.last, index.utf8.count <= 3 else {
            return nil
        }
        return index.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) ? Int(index) : nil
    }

    /// Whether it refers to the files that a step keeps: `artifacts`, or one by its index.
    package static func isArtifacts(_ value: String) -> Bool { value == "artifacts" || artifactIndex(of: value) != nil }

    /// Whether it is the output of a step and nothing else, which is read as JSON if it is that.
    fileprivate var isOutput: Bool {
        guard parts.count == 1, case .reported(_, "output") = parts[0] else { return false }
        return true
    }
}

extension StepMoment {
    /// Why a value is absent.
    fileprivate func absence(_ missing: StepValue.Missing) -> String {
        switch missing {
        case .input(let name): return "The input “\(name)” has no value."
        case .special(let name): return "There is no value for {{\(name.name)}}: the item has no such member."
        case .reported(let name, let value) where StepValue.isArtifacts(value):
            return
                "The step “\(name)” has kept no file “\(value)” on this server. See the files on the page of its run."
        case .reported(let name, let value):
            switch progress.steps.first(where: { $0.name == name })?.status {
            case .skipped: return "The step “\(name)” was skipped, so that it has no value “\(value)”."
            case .failed, .cancelled, .interrupted:
                return "The step “\(name)” did not succeed, so that it has no value “\(value)”."
            default: return "The step “\(name)” reported no value “\(value)”."
            }
        }
    }
}
