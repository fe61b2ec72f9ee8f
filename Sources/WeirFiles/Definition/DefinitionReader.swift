import WeirBoards
import WeirOperations
import WeirStates

/// Parses an operation file into a definition, and collects all of its mistakes.
struct DefinitionReader {
    let id: String
    /// Whether it reads rules of the settings, for all operations and for the server.
    var isOfSettings = false
    let file: String
    var calendars = CalendarFolder()
    /// The zone of schedules that name none.
    var timezone: String?
    var list: MistakeList
    private(set) var fields: [String: InputField] = [:]
    /// Whether the program can report states and values that the file does not declare.
    private var hasReports = false
    /// Whether braces in the program's arguments, environment and standard input are literal.
    private(set) var isLiteral = false
    /// The steps of the file by name, while they are read.
    var stepValues: [String: FileValue] = [:]

    init(id: String, file: String) {
        self.id = id
        self.file = file
        list = MistakeList(file: file)
    }

    /// Reads a file, and returns the operation, or nil with the mistakes, sorted by location.
    static func read(
        _ text: String, id: String, file: String, calendars: CalendarFolder = CalendarFolder(),
        timezone: String? = nil
    ) -> (definition: OperationDefinition?, [FileMistake]) {
        var reader = DefinitionReader(id: id, file: file)
        reader.calendars = calendars
        reader.timezone = timezone
        guard let root = YAMLText.read(text, &reader.list) else { return (nil, reader.list.mistakes.sorted()) }
        OperationKeys.file.check(root, "", &reader.list)
        let definition = reader.definition(root)
        guard reader.list.mistakes.isEmpty else { return (nil, reader.list.mistakes.sorted()) }
        return (definition, [])
    }

    private mutating func definition(_ root: FileValue) -> OperationDefinition? {
        let inputs = inputs(root["inputs"])
        return definition(root, id: id, title: LocalizedText(root["title"]), inputs, choices(inputs))
    }

    /// Reads the operation of a mapping: a whole file, or the program of one of its steps.
    ///
    /// `retry` and `timeout` of a step are left out, because the run of the steps applies them.
    mutating func definition(
        _ root: FileValue, id: String, title: LocalizedText?, _ inputs: [DeclaredInput],
        _ choices: [String: ChoiceCommand] = [:], isStep: Bool = false
    ) -> OperationDefinition? {
        let others = fields
        defer { fields = others }
        take(inputs)
        for name in ["title", "description"] { checkPlain(root[name]) }
        if let title = root["title"], LocalizedText(title)?.text.allSatisfy(\.isWhitespace) == true {
            list.note(title, "`title` is empty. Write what people call the operation.")
        }
        for tag in root["tags"]?.list ?? [] where tag.text?.contains(where: { $0.isUppercase || $0 == "_" }) == true {
            list.note(tag, "A tag is made of lower-case letters, digits and hyphens.")
        }
        let wasLiteral = isLiteral
        defer { isLiteral = wasLiteral }
        isLiteral = root["literal"]?.flag ?? false
        let program = program(root, inputs, isStep: isStep)
        let environment = environment(root["env"])
        let input = template(root["stdin"], "stdin", secrets: true)
        let states = states(root["states"])
        hasReports = states.rules.values.contains { $0.patterns.isEmpty }
        let values = (root["values"]?.members ?? []).map(\.name) + (root["request"] == nil ? [] : ["status"])
        let groups = Set(states.rules.values.flatMap(\.patterns).flatMap { $0.groups.map(\.name) } + values)
        let schedule = schedule(root["schedule"], inputs.map(\.field))
        let success = shown(root["succeeded"]?["show"], groups)
        let failure = shown(root["failed"]?["show"], groups)
        for (name, rule) in states.rules {
            checkShown(rule.show, root["states"]?[name]?["show"], Set(rule.patterns.flatMap { $0.groups.map(\.name) }))
        }
        let (triggers, notifications) = (triggers(root["triggers"], inputs.map(\.field)), notifications(root["notify"]))
        checkFile(inputs, program, triggers)
        let directory = root["working_dir"]?.text
        if let directory, directory.contains("{{") || directory.utf8.contains(0) {
            root["working_dir"].map { list.note($0, "`working_dir` cannot hold a field. Use a fixed folder.") }
        }
        if let keep = root["keep"], keep.flag == true, root["terminal"]?.flag == true {
            list.note(keep, "Programs end with their terminal, so none can be kept. Remove `keep` or `terminal`.")
        }
        guard let program, let title else { return nil }
        let retry = (isStep ? nil : root["retry"]).map { retry in
            OperationDefinition.Retry(
                limit: Int(clamping: retry["limit"]?.integer ?? 1),
                interval: retry["interval"]?.duration ?? .seconds(10))
        }
        return OperationDefinition(
            id: id, title: title, summary: LocalizedText(root["description"]) ?? LocalizedText(""),
            tags: root["tags"]?.list?.compactMap(\.text) ?? [], fields: inputs.map(\.field),
            choices: choices,
            fieldTexts: Dictionary(inputs.map { ($0.field.name, ($0.label, $0.help)) }) { first, _ in first },
            reentry: (root["overlap"]?.text.flatMap(Overlap.init) ?? .allow).policy,
            timeout: isStep ? nil : root["timeout"]?.duration,
            stopGracePeriod: root["stop_grace_period"]?.duration ?? .seconds(10), program: program,
            environment: environment, input: input, directory: directory,
            stopSignal: root["stop_signal"]?.text.flatMap { ProcessSignal($0) } ?? .terminate, retry: retry,
            hasTerminal: root["terminal"]?.flag ?? false, isStrict: root["strict"]?.flag ?? false,
            isLiteral: isLiteral, isStep: isStep, keepsOthers: root["keep"]?.flag ?? false,
            limits: limits(root["limits"]), maximumOutput: root["max_output"]?.text.flatMap { ByteCount($0) },
            umask: root["umask"]?.text.flatMap { FileMask($0) }, user: user(root["user"], inputs), states: states.rules,
            stateOrder: states.order,
            exitCodes: Set(
                root["succeeded"]?["exit"]?.list?.compactMap { $0.integer.map { Int32(clamping: $0) } } ?? [0]),
            artifacts: artifacts(root["artifacts"]), success: success, failure: failure, schedule: schedule,
            presets: presets(root["presets"], inputs.map(\.field)), triggers: triggers, notifications: notifications)
    }

    private mutating func artifacts(_ value: FileValue?) -> [ArtifactPattern]? {
        value?.list?.compactMap { element in
            guard let text = element.text else { return nil }
            do throws(ArtifactPattern.Mistake) {
                return try ArtifactPattern(text)
            } catch {
                list.note(element, error.sentence)
                return nil
            }
        }
    }

    private mutating func user(_ value: FileValue?, _ inputs: [DeclaredInput]) -> String? {
        guard let value, let name = value.text else { return nil }
        if name.wholeMatch(of: /[A-Za-z_][A-Za-z0-9_.-]*\$?/) == nil {
            list.note(value, "`user` must be the name of a user of the system, such as deploy.")
        }
        if inputs.contains(where: { $0.field.kind == .file }) {
            list.note(
                value,
                "Another user cannot read the files that a run receives in the data folder. Remove `user` or the input of "
                    + "the type `file`.")
        }
        return name
    }

    private func limits(_ value: FileValue?) -> CommandLaunch.Limits {
        CommandLaunch.Limits(
            nice: value?["nice"]?.integer.map { Int(clamping: $0) },
            memory: value?["memory"]?.text.flatMap { ByteCount($0)?.bytes },
            files: value?["open_files"]?.integer.map { Int(clamping: $0) })
    }

    // MARK: States

    private mutating func states(_ value: FileValue?) -> (rules: [String: StateRule], order: [String]) {
        var rules: [String: StateRule] = [:]
        var order: [String] = []
        for member in value?.members ?? [] {
            guard CommandState.isFree(member.name) else {
                let reason =
                    CommandState.ownNames.contains(member.name)
                    ? "is a state that every operation has. Choose another name."
                    : "must be at most 40 letters, digits, hyphens and underscores, beginning with a letter."
                list.note(member.place, "The state “\(member.name.prefix(40))” \(reason)")
                continue
            }
            checkPlain(member.value["title"])
            let match = member.value["match"]
            let patterns = (match?.list ?? match.map { [$0] } ?? []).compactMap { pattern($0, for: .line) }
            order.append(member.name)
            rules[member.name] = StateRule(
                patterns: patterns, title: LocalizedText(member.value["title"]),
                show: template(member.value["show"]),
                unit: member.value["progress"]?.text.flatMap { ProgressUnit(rawValue: $0) })
        }
        return (rules, order)
    }

    mutating func pattern(_ value: FileValue, for extent: TextPattern.Extent) -> TextPattern? {
        guard let text = value.text else { return nil }
        do throws(TextPattern.Mistake) {
            return try TextPattern(text, for: extent)
        } catch {
            list.note(value, error.sentence)
            return nil
        }
    }

    /// Sets the inputs that texts can refer to.
    mutating func take(_ inputs: [DeclaredInput]) {
        fields = Dictionary(inputs.map(\.field).map { ($0.name, $0) }) { first, _ in first }
    }

    // MARK: Texts

    /// A text whose placeholders need not be inputs.
    mutating func template(_ value: FileValue?) -> TextTemplate? {
        guard let value, let text = value.text else { return nil }
        do throws(TextTemplate.Mistake) {
            return try TextTemplate(text)
        } catch {
            list.note(value, error.sentence)
            return nil
        }
    }

    /// A text whose placeholders must be inputs.
    mutating func template(_ value: FileValue?, _ place: String, secrets: Bool) -> TextTemplate? {
        if isLiteral, let text = value?.text { return TextTemplate(verbatim: text) }
        guard let value, let template = template(value) else { return nil }
        for name in template.fields {
            guard let field = fields[name] else {
                noteUnknown(name, value)
                continue
            }
            if field.isSecret, !secrets {
                list.note(
                    value,
                    "The secret “\(name)” cannot stand in `\(place)`, where everybody on this machine can read it. Put "
                        + "it into `env` or `stdin`.")
            }
        }
        return template
    }

    mutating func noteUnknown(_ name: String, _ value: FileValue, others: [String] = []) {
        if !stepValues.isEmpty, let key = StepScope.key(of: name) {
            return list.note(value, "“{{\(name)}}” has a value only in a step with `\(key)`.")
        }
        let known = fields.keys.sorted() + others
        let remedy =
            NearestName.of(name, among: known).map { "Did you mean {{\($0)}}?" }
            ?? (known.isEmpty ? "Declare it in `inputs`." : "There are \(known.joined(separator: ", ")).")
        list.note(value, "There is no input “\(name)”. \(remedy)")
    }

    func isField(_ name: String) -> Bool { fields[name] != nil }

    /// A text for a page, with placeholders for inputs and values of patterns.
    private mutating func shown(_ value: FileValue?, _ groups: Set<String>) -> TextTemplate? {
        let template = template(value)
        checkShown(template, value, groups)
        return template
    }

    /// Reports only likely typos, because programs can report values that no file declares.
    private mutating func checkShown(_ template: TextTemplate?, _ value: FileValue?, _ groups: Set<String>) {
        guard let template, let value else { return }
        for name in template.fields {
            if fields[name]?.isSecret == true {
                list.note(value, "The secret “\(name)” cannot be shown on a page. Remove it.")
            } else if !hasReports, fields[name] == nil, !groups.contains(name),
                NearestName.of(name, among: fields.keys.sorted() + groups.sorted()) != nil
            {
                noteUnknown(name, value, others: groups.sorted())
            }
        }
    }

    /// Reports placeholders in a title, label or help text.
    mutating func checkPlain(_ value: FileValue?) {
        let texts = value?.members?.map(\.value) ?? value.map { [$0] } ?? []
        for text in texts where text.text.map({ BracedText.plain($0) == nil }) == true {
            list.note(text, "A title, label or help text cannot hold fields. Remove {{…}}. \(BracedText.escape)")
        }
    }
}

extension FileValue {
    /// The scalar in the given type, or nil.
    var integer: Int64? { text.flatMap(Shape.integer) }
    var number: Double? { text.flatMap(Shape.number) }

    /// The number with the digits of the file.
    var exactNumber: JSONNumber? { text.flatMap { JSONValue(number: $0)?.exactNumber } }
    var flag: Bool? { text.flatMap(Shape.flag) }
    var duration: Duration? { text.flatMap(Shape.duration) }
}

extension JSONValue {
    /// A number as JSON writes it; nil for other texts, such as `0123` and `+351912345678`, which are codes.
    init?(unquotedNumber text: String) {
        guard let value = try? JSONValue(parsing: text), value.exactNumber != nil else { return nil }
        self = value
    }
}
