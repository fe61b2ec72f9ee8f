import WeirBoards
import WeirOperations
import WeirStates

extension DefinitionReader {
    mutating func triggers(_ value: FileValue?, _ fields: [InputField]) -> [TriggerRule] {
        var names: Set<String> = []
        return (value?.list ?? []).compactMap { each in
            guard let name = each["name"]?.text, let secret = each["secret"]?.text else { return nil }
            if !names.insert(name).inserted {
                list.note(each, "There are two triggers “\(name)”. Give one another name.")
            }
            let filters = (each["only"]?.members ?? []).compactMap { filter($0) }
            let inputs = (each["inputs"]?.members ?? []).compactMap { triggerInput($0, fields) }
            for field in fields where field.alwaysNeedsValue {
                guard each["inputs"]?[field.name] == nil else { continue }
                list.note(
                    each["inputs"] ?? each,
                    "A run cannot start without “\(field.name)”. Write where its value is, such as \(field.name): "
                        + "\"{{body.\(field.name)}}\".")
            }
            return TriggerRule(
                operation: id, name: name, form: each["form"]?.text.flatMap(TriggerRule.Form.init) ?? .github,
                secret: secret, filters: filters, inputs: inputs)
        }
    }

    private mutating func filter(_ member: FileMember) -> TriggerRule.Filter? {
        guard let path = ValuePath(member.name), isInRequest(path) else {
            list.note(
                member.place,
                "“\(member.name.prefix(60))” is not a path in a request. Write a path such as body.ref or header.X-GitHub-Event."
            )
            return nil
        }
        let values = member.value.list?.compactMap(\.text) ?? [member.value.text].compactMap { $0 }
        return TriggerRule.Filter(path: path, values: values)
    }

    private mutating func triggerInput(_ member: FileMember, _ fields: [InputField]) -> TriggerRule.Input? {
        guard let field = fields.first(where: { $0.name == member.name }) else {
            let nearest = NearestName.of(member.name, among: fields.map(\.name)).map { "Did you mean `\($0)`?" }
            list.note(
                member.place,
                "There is no input “\(member.name.prefix(40))”. \(nearest ?? "Declare it in `inputs` of the operation.")"
            )
            return nil
        }
        guard let template = pathTemplate(member.value) else { return nil }
        for path in template.paths where !isInRequest(path) {
            list.note(
                member.value,
                "“{{\(path)}}” is not a path in a request. Write a path such as {{body.ref}} or {{header.X-GitHub-Event}}."
            )
        }
        return TriggerRule.Input(name: member.name, value: template, takesList: field.takesSeveral)
    }

    private func isInRequest(_ path: ValuePath) -> Bool {
        switch path.root {
        case "body": path.below != nil
        case "header": path.names.count == 2
        default: false
        }
    }

    /// A text with placeholders for values of a request.
    mutating func pathTemplate(_ value: FileValue) -> PathTemplate? {
        guard let text = value.text else { return nil }
        do throws(PathTemplate.Mistake) {
            return try PathTemplate(text)
        } catch {
            list.note(value, error.sentence)
            return nil
        }
    }
}

extension DefinitionReader {
    mutating func schedule(_ value: FileValue?, _ fields: [InputField]) -> ScheduledStart? {
        guard let value else { return nil }
        guard let parts = value.list else { return start(value, fields) }
        let starts = parts.compactMap { start($0, fields) }
        guard starts.count == parts.count else { return nil }
        if let start = ScheduledStart(starts) { return start }
        list.note(
            value,
            starts.isEmpty
                ? "The list of schedules is empty. Remove `schedule`, or write one such as \"30 3 * * *\"."
                : "All schedules of an operation have the same `catch_up`. Write it with each of them.")
        return nil
    }

    private mutating func start(_ value: FileValue, _ fields: [InputField]) -> ScheduledStart? {
        let input = scheduledInput(value["inputs"], fields, of: value)
        let (cron, every) = (value.text ?? value["cron"]?.text, value["every"]?.text)
        let (delay, catchUp) = (value["random_delay"]?.text, value["catch_up"]?.text)
        do throws(ScheduleError) {
            var schedule: Schedule
            switch (cron, every) {
            case (let cron?, nil):
                schedule = try Schedule(
                    cron: cron, timezone: value["timezone"]?.text ?? timezone, randomDelay: delay, catchUp: catchUp)
            case (nil, let every?):
                if let timezone = value["timezone"] {
                    list.note(timezone, "An interval has no time zone. Remove `timezone`, or use `cron`.")
                }
                schedule = try Schedule(every: every, randomDelay: delay, catchUp: catchUp)
            default:
                list.note(
                    value,
                    "A schedule has either `cron`, such as cron: \"30 3 * * *\", or `every`, such as every: 15m.")
                return nil
            }
            if let text = value["start_by"]?.text { try schedule.startBy(text) }
            schedule.days = try ScheduleDays(
                only: value["only"]?.texts, skip: value["skip"]?.texts ?? [], in: schedule.zone,
                calendar: calendars.calendar)
            return input.map { ScheduledStart(schedule, input: $0) }
        } catch {
            list.note(value, error.description)
            return nil
        }
    }

    private mutating func scheduledInput(
        _ value: FileValue?, _ fields: [InputField], of schedule: FileValue
    ) -> JSONValue? {
        var texts: [String: String] = [:]
        for member in value?.members ?? [] {
            if fields.first(where: { $0.name == member.name })?.isSecret == true {
                list.note(
                    member.place,
                    "A schedule cannot give the secret “\(member.name.prefix(40))”: everybody could read it in this file. "
                        + "Give the input `kept: NAME`, and set that secret of the server with weir secret set NAME.")
                return nil
            }
            texts[member.name] = givenText(member.value)
        }
        var members: [String: JSONValue] = [:]
        for (name, text) in texts {
            members[name] = fields.first { $0.name == name }.map { $0.value(fromForm: text) } ?? .string(text)
        }
        do throws(InputMistakes) {
            return try InputField.validate(.object(members), fields: fields)
        } catch {
            for mistake in error.mistakes {
                let place = value?.members?.first { $0.name == mistake.field }?.place ?? schedule.place
                list.note(place, "The schedule starts runs with “\(mistake.field.prefix(40))”: \(mistake.detail)")
            }
            return nil
        }
    }
}
