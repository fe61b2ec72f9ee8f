package import WeirBoards
import WeirOperations
package import WeirStates

/// When an operation starts by itself, and with what.
package struct DeclaredSchedule: Sendable, Hashable {
    /// When.
    package let schedule: Schedule
    /// The input of each run.
    package let input: JSONValue
}

extension DefinitionReader {
    /// The schedule of a file, if it has one.
    mutating func schedule(_ value: FileValue?, _ fields: [InputField]) -> DeclaredSchedule? {
        guard let value else { return nil }
        let input = scheduledInput(value["inputs"], fields, of: value)
        let (cron, every) = (value["cron"]?.text, value["every"]?.text)
        let (delay, catchUp) = (value["random_delay"]?.text, value["catch_up"]?.text)
        do throws(ScheduleError) {
            switch (cron, every) {
            case (let cron?, nil):
                let schedule = try Schedule(
                    cron: cron, timezone: value["timezone"]?.text, randomDelay: delay, catchUp: catchUp)
                return input.map { DeclaredSchedule(schedule: schedule, input: $0) }
            case (nil, let every?):
                if let timezone = value["timezone"] {
                    list.note(timezone, "An interval has no time zone. Remove `timezone`, or use `cron`.")
                }
                let schedule = try Schedule(every: every, randomDelay: delay, catchUp: catchUp)
                return input.map { DeclaredSchedule(schedule: schedule, input: $0) }
            default:
                list.note(
                    value,
                    "A schedule has either `cron`, such as cron: \"30 3 * * *\", or `every`, such as every: 15m.")
            }
        } catch {
            list.note(value, error.description)
        }
        return nil
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
            texts[member.name] = member.value.text
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
