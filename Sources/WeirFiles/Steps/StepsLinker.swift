import WeirBoards
import WeirOperations
import WeirStates

/// Checks the steps of all files against the existing operations, for mistakes that a single file cannot show.
struct StepsLinker {
    private let definitions: [String: OperationDefinition]
    private let others: [String: [InputField]]
    private let files: Set<String>
    /// The steps of all files by the id of their own programs, in words.
    private let owners: [String: [String]]
    private(set) var mistakes: [String: [FileMistake]] = [:]

    private let nesting: StepNesting

    /// Checks all files; `files` also has the ids of files with mistakes, and `others` the fields of undeclared operations.
    init(_ definitions: [OperationDefinition], others: [String: [InputField]], files: Set<String>) {
        self.definitions = Dictionary(definitions.map { ($0.id, $0) }) { first, _ in first }
        self.others = others
        self.files = files
        owners = Dictionary(grouping: definitions.flatMap(Self.owned), by: \.id).mapValues { $0.map(\.words) }
        nesting = StepNesting(self.definitions.mapValues(Self.used))
        for definition in definitions { look(at: definition) }
    }

    /// Returns the valid operations, and the mistakes of the others.
    static func link(
        _ definitions: [OperationDefinition], others: [String: [InputField]], files: Set<String>
    ) -> (definitions: [OperationDefinition], mistakes: [FileMistake]) {
        var right = definitions
        var mistakes: [FileMistake] = []
        // Repeats, because an operation that uses an invalid one is invalid too.
        while true {
            let linker = StepsLinker(right, others: others, files: files)
            guard !linker.mistakes.isEmpty else { return (right, mistakes) }
            mistakes += linker.mistakes.values.flatMap { $0 }
            right.removeAll { linker.mistakes[$0.id] != nil }
        }
    }

    /// The ids of the operations that an operation uses.
    private static func used(_ definition: OperationDefinition) -> Set<String> {
        guard case .steps(let declared) = definition.program else { return [] }
        return Set(declared.steps.compactMap { if case .other(let id, _) = $0.work { id } else { nil } })
    }

    /// The steps of a file whose own programs are operations, with the ids of these.
    private static func owned(_ definition: OperationDefinition) -> [(id: String, words: String)] {
        guard case .steps(let declared) = definition.program else { return [] }
        return declared.steps.flatMap { step -> [(String, String)] in
            var owned: [(String, String)] = []
            if case .own(let own) = step.work { owned.append((own.id, words(step, declared))) }
            if let program = step.condition?.program {
                owned.append((program.id, words(step, declared, " in its `if`")))
            }
            return owned
        }
    }

    private static func words(_ step: DeclaredSteps.Step, _ steps: DeclaredSteps, _ part: String = "") -> String {
        "the step “\(step.name)” of \(steps.file)\(part)"
    }

    /// Reports an id of a step's own program that another operation has too, because one would run instead of the other.
    private func checkFree(_ id: String, of words: String, _ place: FilePlace, _ list: inout MistakeList) {
        if definitions[id] != nil || others[id] != nil {
            list.note(place, "There is an operation “\(id)” already. Rename the step.")
        } else if let other = owners[id]?.first(where: { $0 != words }) {
            list.note(place, "The program of this step has the id “\(id)”, as has that of \(other). Rename one step.")
        }
    }

    private mutating func look(at definition: OperationDefinition) {
        guard case .steps(let declared) = definition.program else { return }
        var list = MistakeList(file: declared.file)
        for step in declared.steps {
            switch step.work {
            case .approval: break
            case .own(let own): checkFree(own.id, of: Self.words(step, declared), step.place, &list)
            case .other(let id, let place): look(at: step, id, place, definition, &list)
            }
            if let program = step.condition?.program {
                checkFree(program.id, of: Self.words(step, declared, " in its `if`"), step.place, &list)
            }
            for value in step.values {
                for case .reported(let name, let reported) in value.value.parts {
                    checkReported(name, reported, value.valuePlace, declared, &list)
                }
            }
            for (name, value, place) in step.condition?.reported ?? [] {
                checkReported(name, value, place, declared, &list)
            }
        }
        if !list.mistakes.isEmpty { mistakes[definition.id] = list.mistakes }
    }

    private func look(
        at step: DeclaredSteps.Step, _ id: String, _ place: FilePlace, _ whole: OperationDefinition,
        _ list: inout MistakeList
    ) {
        guard let fields = definitions[id]?.fields ?? others[id] else {
            if files.contains(id) {
                return list.note(
                    place, "The file of the operation “\(id)” has a mistake of its own. Correct that first.")
            }
            let names = (Array(definitions.keys) + Array(others.keys)).sorted()
            let remedy =
                NearestName.of(id, among: names).map { "Did you mean `\($0)`?" }
                ?? "There are \(names.joined(separator: ", "))."
            return list.note(place, "There is no operation “\(id.prefix(40))”. \(remedy)")
        }
        if definitions[id]?.isReported == true {
            list.note(place, "Runs of “\(id)” are reported by programs elsewhere, so that no step can start one.")
        }
        if let mistake = nesting.mistake(of: id, in: whole.id) { list.note(place, mistake) }
        check(step, fields, id, whole, &list)
    }

    // MARK: Inputs

    private func check(
        _ step: DeclaredSteps.Step, _ fields: [InputField], _ id: String, _ whole: OperationDefinition,
        _ list: inout MistakeList
    ) {
        for given in step.values {
            guard let field = fields.first(where: { $0.name == given.name }) else {
                let names = fields.map(\.name)
                let remedy =
                    NearestName.of(given.name, among: names).map { "Did you mean `\($0)`?" }
                    ?? (names.isEmpty
                        ? "It has no inputs." : "There are \(names.map { "`\($0)`" }.joined(separator: ", ")).")
                list.note(given.place, "The operation “\(id)” has no input `\(given.name)`. \(remedy)")
                continue
            }
            check(given, field, whole, &list)
        }
        for field in fields where field.alwaysNeedsValue {
            guard !step.values.contains(where: { $0.name == field.name }) else { continue }
            list.note(
                step.place, "The operation “\(id)” needs the input `\(field.name)`. Give it in `with`.")
        }
    }

    private func check(
        _ given: DeclaredSteps.Value, _ field: InputField, _ whole: OperationDefinition, _ list: inout MistakeList
    ) {
        var sources: [InputField] = []
        for case .input(let name) in given.value.parts { sources += whole.fields.filter { $0.name == name } }
        if !field.isSecret, let secret = sources.first(where: \.isSecret) {
            list.note(
                given.valuePlace,
                "The secret “\(secret.name)” would be recorded as the input `\(field.name)`, which is none. Give it to a secret."
            )
        }
        if given.value.parts.count == 1, let source = sources.first, !field.accepts(every: source) {
            list.note(
                given.valuePlace,
                "The input “\(source.name)” is \(source.valueWords), and `\(field.name)` takes \(field.valueWords). Change the type of one."
            )
        }
        guard given.value.parts.count == 1, case .text(let text)? = given.value.parts.first else { return }
        let value = InputField.object(fromForm: [field.name: text], fields: [field])
        do throws(InputMistakes) {
            _ = try InputField.validate(value, fields: [field])
        } catch {
            list.note(given.valuePlace, "“\(text.prefix(40))” does not fit. \(error.mistakes.first?.detail ?? "")")
        }
    }

    // MARK: What steps report

    /// Reports only likely typos, because programs can report values that no file declares.
    private func checkReported(
        _ name: String, _ value: String, _ place: FilePlace, _ steps: DeclaredSteps, _ list: inout MistakeList
    ) {
        let step = steps.steps.first { $0.name == name }
        // Every step has these.
        guard !["outcome", "exit_code", "output"].contains(value), step?.forEach == nil else { return }
        let isFile = StepValue.isArtifacts(value)
        let source: OperationDefinition?
        switch step?.work {
        case .own(let definition): source = definition
        case .other(let id, _): source = definitions[id]
        case .approval, nil: return
        }
        guard let source else { return }
        if source.plan != nil {
            list.note(place, "The step “\(name)” is made of steps itself, and reports no values.")
            return
        }
        if isFile {
            guard source.artifacts == nil else { return }
            list.note(place, "“\(source.id)” keeps no files. Give it `artifacts`, such as [dist/*.tar.gz].")
            return
        }
        let rules = source.states.values
        let known = Set(rules.flatMap(\.patterns).flatMap { $0.groups.map(\.name) })
            .union(rules.flatMap { $0.show?.fields ?? [] }).subtracting(["completed", "total"])
        guard !known.contains(value), let nearest = NearestName.of(value, among: known.sorted()) else { return }
        list.note(
            place, "The step “\(name)” reports no value “\(value)”. Did you mean {{steps.\(name).\(nearest)}}?")
    }
}
