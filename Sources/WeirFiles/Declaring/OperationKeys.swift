import WeirBoards
import WeirOperations
package import WeirStates

/// The members of an operation's file, from which the checks and the JSON Schema are derived.
enum OperationKeys {
    /// The names of the members of a file.
    static let names: Set<String> = if case .object(let keys) = file { Set(keys.map(\.name)) } else { [] }

    static let file = Shape.object(
        [
            .init(
                "type", .choice(["command", "http", "feed", "steps"]),
                "What is run; `command`, a program, unless it says otherwise."),
            .init("title", .words(limit: 200), required: true, "What people call the operation."),
            .init("description", .words(limit: 1_000), "What it does, in a sentence."),
            .init("tags", .list(of: .name(limit: 40), limit: 20), "Words that it can be found and granted by."),
            .init(
                "reported", .flag,
                "Whether programs elsewhere report its runs; it then has a title, a description, tags and notifications only."
            ),
            .init("inputs", .list(of: input, limit: 50), "What a person fills in before a run starts."),
            .init(
                "presets", .dictionary(of: .dictionary(of: given, limit: 50), limit: 20),
                "Values that the form can begin with, by name, such as {Nightly: {region: eu}}."),
            .init(
                "steps", .list(of: .object(step), limit: 200),
                "Runs of other operations and decisions: one after the other, or, if one has `needs`, as soon as these are over."
            ),
            .init("at_once", .integer(1...100), "How many steps run at the same time; 4 by default."),
            .init(
                "when_a_step_fails", .choice(["continue", "stop"]),
                "Whether steps that do not need the failed one still begin; `continue` by default."),
            .init("timeout", .duration(most: .seconds(30 * 86_400)), "After how long a run is stopped, and fails."),
            .init(
                "overlap", .choice(Overlap.allCases.map(\.rawValue)), "What a second start does while a run is active."),
            .init("retry", .object(retry), "How often, and after what time, a failed program is run again."),
            .init(
                "schedule",
                .either(
                    .either(.text(limit: 1_000), .object(schedule)),
                    .list(of: .either(.text(limit: 1_000), .object(schedule)), limit: 20)),
                "The times at which the server starts the operation: a cron expression, or a mapping."),
            .init("triggers", .list(of: trigger, limit: 20), "Requests from outside that start the operation."),
            .init(
                "notify", .list(of: notification, limit: 20),
                "Who is told how runs end; instead of those that the settings name for all operations."),
        ] + program + requests)

    static let program: [Shape.Key] = [
        .init(
            "command", .list(of: .either(.text(limit: 100_000), group), limit: 1_000),
            "The program and its arguments; {{field}} stands for the value of an input."),
        .init(
            "shell", .text(limit: 100_000),
            "A script for /bin/sh; inputs are in its environment as WEIR_INPUT_NAME, and never part of its text."),
        .init(
            "env", .dictionary(of: .text(limit: 100_000), limit: 200),
            "Variables of the environment; {{field}} stands for the value of an input."),
        .init("stdin", .text(limit: 200_000), "What the program reads from its standard input."),
        .init(
            "working_dir", .text(limit: 4_000), "Where the program runs; relative to the folder of operation files."),
        .init(
            "stop_signal", .choice(ProcessSignal.names), "The signal that asks the program to stop; TERM by default."),
        .init(
            "stop_grace_period", .duration(most: .seconds(3_600)),
            "How long the program can take to stop before it is killed; 10s by default."),
        .init(
            "terminal", .flag, "Whether the program prints to a terminal, for programs that show progress only there."),
        .init(
            "literal", .flag,
            "Whether {{ is text in `command`, `env` and `stdin`; inputs are then in the environment, as for `shell`."),
        .init(
            "keep", .flag,
            "Whether programs that a run leaves running, such as daemons, are kept; by default they end with the run."),
        .init(
            "max_output", .bytes,
            "How much of a run's output is kept, such as 10 MiB; that of the settings by default."),
        .init("strict", .flag, "Whether only the states that are declared here can be reported."),
        .init("limits", .object(limits), "What the program may take of the machine."),
        .init(
            "umask", .mask,
            "The permissions that new files of the program do not get, such as 022; those of the settings by default."),
        .init(
            "user", .text(limit: 32),
            "The user of the system that the program runs as, where the server may switch; that of the server by default."
        ),
        .init("states", .dictionary(of: .object(state), limit: 50), "The states that a run passes through, by name."),
        .init(
            "artifacts", .list(of: .text(limit: 1_000), limit: 100),
            "The files under the folder where the program runs that are kept with the run when it ends, such as dist/*.tar.gz."
        ),
        .init("succeeded", .object(succeeded), "When a run has succeeded, and what its page then says."),
        .init("failed", .object(failed), "What the page of a failed run says."),
    ]

    /// Whether a file has known members only.
    static func knows(all root: FileValue) -> Bool {
        guard case .object(let keys) = file else { return false }
        return (root.members ?? []).allSatisfy { member in keys.contains { $0.name == member.name } }
    }

    /// The value of an input, or the list of values of `choices`.
    static let given = Shape.either(.scalar, .list(of: .scalar, limit: 500))

    private static let group = Shape.object([
        .init("if", .name(limit: 40), required: true, "The input that must have a value, or be true."),
        .init("args", .list(of: .text(limit: 100_000), limit: 100), required: true, "The arguments that it brings."),
    ])

    private static let input = Shape.object([
        .init("name", .name(limit: 40), required: true, "The name, as in {{name}}."),
        .init("type", .choice(InputKind.allCases.map(\.rawValue)), "What it accepts; `text` by default."),
        .init("label", .words(limit: 200), "What people call it."),
        .init("help", .words(limit: 1_000), "A sentence shown beside it."),
        .init("required", .flag, "Whether a run cannot start without it."),
        .init(
            "default", given,
            "The value if none is given; of `choices`, a list of values."),
        .init(
            "if", .dictionary(of: .either(.either(.text(limit: 500), values), .object(tests)), limit: 20),
            "The values of earlier inputs with which this one is shown and has a value, such as {environment: production}."
        ),
        .init(
            "kept", .name(limit: 40),
            "The secret that the server keeps under this name (weir secret set), used if no value is given."),
        .init(
            "options", .either(.list(of: .text(limit: 200), limit: 500), .object(choices)),
            "The values of a `choice` or `choices`, or the program that lists them."),
        .init("pattern", .text(limit: 500), "A regular expression that a text must match whole."),
        .init("max_length", .integer(1...100_000), "How many characters a text has at most."),
        .init("min", .number, "The smallest number."),
        .init("max", .number, "The largest number."),
        .init("unit", .text(limit: 20), "What is shown behind a number, such as GB."),
    ])

    private static let choices: [Shape.Key] = [
        .init(
            "command", .list(of: .text(limit: 100_000), limit: 1_000), required: true,
            "The program and its arguments; it prints one value in each line."),
        .init("cache", .duration(most: .seconds(86_400)), "How long its values count; 1m by default."),
    ]

    private static let schedule: [Shape.Key] = [
        .init(
            "cron", .text(limit: 1_000),
            "Minute, hour, day of the month, month, day of the week; or a name such as @daily."),
        .init("every", .text(limit: 40), "A length of time between two starts, such as 15m."),
        .init(
            "timezone", .text(limit: 64),
            "The zone of the clock that `cron` is read by, such as Europe/Lisbon; by default that of the settings, or UTC."
        ),
        .init("random_delay", .text(limit: 40), "How much later a start may be, such as 5m."),
        .init("catch_up", .choice(["once", "skip", "all"]), "What happens to times that passed; once by default."),
        .init("start_by", .text(limit: 40), "How late a start can be, such as 15m; a later one is missed."),
        .init(
            "skip", days,
            "Days without starts, such as 2026-12-25, 2026-12-24..2027-01-02, or the calendar holidays.ics."),
        .init(
            "only", days,
            "The only days with starts, such as 2026-12-25, 2026-12-24..2027-01-02, or the calendar opening.ics."),
        .init("inputs", .dictionary(of: given, limit: 50), "The inputs of the runs, by name."),
    ]

    private static let days = Shape.either(
        .text(limit: 255), .list(of: .text(limit: 255), limit: ScheduleDays.limit))

    private static let retry: [Shape.Key] = [
        .init("limit", .integer(1...100), required: true, "How many more times the program is run."),
        .init("interval", .duration(most: .seconds(86_400)), "The time between two attempts; 10s by default."),
    ]

    private static let limits: [Shape.Key] = [
        .init("nice", .integer(-20...19), "How much it gives way to other programs, from -20 to 19."),
        .init("memory", .bytes, "Its address space."),
        .init("open_files", .integer(3...1_000_000), "How many files it can have open."),
    ]

    private static let state: [Shape.Key] = [
        .init("title", .words(limit: 100), "What people call the state."),
        .init(
            "match", .either(.text(limit: 2_000), .list(of: .text(limit: 2_000), limit: 20)),
            "A regular expression, or several: a line that matches one puts the run into this state. Named groups are values."
        ),
        .init("show", .text(limit: 1_000), "The text on the page; {{group}} stands for a value."),
        .init("progress", .choice(["items", "bytes", "percent"]), "What the groups `completed` and `total` count."),
    ]

    private static let succeeded: [Shape.Key] = [
        .init("exit", .list(of: .integer(0...255), limit: 256), "The exit codes of success; 0 by default."),
        .init("show", .text(limit: 1_000), "What the page says."),
    ]

    private static let failed: [Shape.Key] = [
        .init("show", .text(limit: 1_000), "What the page says before the reason.")
    ]
}

enum InputKind: String, CaseIterable {
    case text, multiline, date, time, url, integer, number, `switch`, choice, choices, secret, file
}

enum Overlap: String, CaseIterable {
    case allow, queue, refuse, join, replace

    var policy: ReentryPolicy {
        switch self {
        case .allow: .concurrent
        case .queue: .queue
        case .refuse: .ignore
        case .join: .joinExisting
        case .replace: .cancelPrevious
        }
    }
}

package enum OperationSchema {
    /// The schema (draft 2020-12).
    package static var value: JSONValue {
        .object(
            OperationKeys.file.schema.merging([
                "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "An operation of Weir",
            ]) { old, _ in old })
    }
}
