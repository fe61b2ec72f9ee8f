import WeirBoards

extension OperationKeys {
    static let trigger = Shape.object([
        .init("name", .name(limit: 40), required: true, "The end of its address: hooks/OPERATION/NAME."),
        .init(
            "form", .choice(TriggerRule.Form.allCases.map(\.rawValue)),
            "How senders prove that they know the secret: `github` (by default), `standard` or `bearer`."),
        .init("secret", .name(limit: 40), required: true, "The name of the secret, as in `weir secret set NAME`."),
        .init(
            "only", .dictionary(of: .either(.text(limit: 500), .list(of: .text(limit: 500), limit: 50)), limit: 20),
            "What must hold, or nothing is started: a path such as body.ref, and the value or values it must have."),
        .init(
            "inputs", .dictionary(of: .text(limit: 2_000), limit: 50),
            "The inputs of the run; {{body.ref}} stands for a value of the body, {{header.NAME}} for one of the header."
        ),
    ])

    static let notification = Shape.object([
        .init("name", .name(limit: 40), "Its name, if there are several."),
        .init(
            "when", .list(of: .choice(NotificationEvent.ofRules.map(\.rawValue)), limit: 10),
            "What is worth a message; `recovered` is a success after a failure, `slow` a run that takes longer than usual, and "
                + "`server`, in the settings only, a condition of the server itself."
        ),
        .init(
            "digest", .text(limit: 40),
            "In the settings only, and instead of `when`: the time of an e-mail each day about what happened, such as 07:00."
        ),
        .init(
            "report", .text(limit: 40),
            "In the settings only, and instead of `when`: the time of an e-mail each week with the report, such as monday 08:00."
        ),
        .init("send_empty", .flag, "Whether a digest is sent although nothing happened."),
        .init("webhook", .object(webhook), "A request that is sent."),
        .init(
            "command", .list(of: .text(limit: 10_000), limit: 100),
            "A program and its arguments; {{title}}, {{event}}, {{message}} and so on stand for what happened."),
        .init(
            "email", .list(of: .text(limit: 254), limit: 50),
            "The addresses to which the mail server of the settings sends the message."),
    ])

    private static let webhook: [Shape.Key] = [
        .init(
            "url", .text(limit: 4_000), required: true,
            "The address; {{secrets.NAME}} stands for a kept secret, for addresses that are secret."),
        .init(
            "body", .choice(NotificationFormat.allCases.map(\.rawValue)), "What the receiver is; `generic` by default."),
        .init(
            "to", .text(limit: 1_000),
            "The chat of `telegram` or the integration key of `pagerduty`; {{secrets.NAME}} stands for a kept secret."),
        .init(
            "headers", .dictionary(of: .text(limit: 4_000), limit: 20),
            "Header fields; {{secrets.NAME}} stands for a kept secret."),
        .init("signed_with", .name(limit: 40), "The name of the secret by which the request is signed."),
    ]
}

extension OperationKeys {
    /// A step: another operation, its own program, or an approval.
    static let step: [Shape.Key] =
        [
            .init("name", .name(limit: 30), required: true, "The name, which is the state of the whole run meanwhile."),
            .init("title", .words(limit: 100), "What people call the step."),
            .init("uses", .text(limit: 40), "The id of the operation that it runs."),
            .init(
                "with", .dictionary(of: given, limit: 50),
                "Inputs of the step, by name; {{input}} stands for an input, {{steps.name.value}} for what an earlier step reported."
            ),
            .init("approve", .object(approval), "What a person decides."),
            .init(
                "needs", .list(of: .name(limit: 30), limit: 200),
                "The steps that must succeed before this one begins; an empty list lets it begin at once."),
            .init(
                "if", .dictionary(of: .either(.either(.text(limit: 100_000), values), .object(tests)), limit: 20),
                "What must hold, or the step is skipped: values of inputs.NAME and steps.NAME.VALUE, or a `command` that ends with exit code 0."
            ),
            .init(
                "for_each", .either(.text(limit: 10_000), .list(of: .any, limit: 1_000)),
                "A list, of which each {{item}} gets a run of its own: in the file, an input, or what a step printed."),
            .init("at_once", .integer(1...100), "How many items run at the same time; that of the file by default."),
            .init("allow_failure", .flag, "Whether its failure counts as a success."),
            .init("finally", .flag, "Whether it runs after all other steps, whatever their outcome."),
            .init("repeat", .object(repetition), "Runs the step at intervals until a condition is met."),
            .init("timeout", .duration(most: .seconds(30 * 86_400)), "After how long the step is stopped, and fails."),
            .init("retry", .object(stepRetry), "How often, and after what time, it is run again after it failed."),
            .init(
                "when_failed", .list(of: .name(limit: 30), limit: 50),
                "The steps of which one must have failed; without this, a step comes when all before it went well."),
            .init(
                "interrupted", .choice(["fail", "retry"]),
                "What a restart of the server means for the step that is running; `fail` by default."),
        ] + program

    static let values = Shape.list(of: .text(limit: 100_000), limit: 1_000)

    private static let bounds: [Shape.Key] = [
        .init("above", .number, "A number that the value must exceed."),
        .init("below", .number, "A number that must exceed the value."),
        .init("match", .text(limit: 2_000), "A regular expression that must match a part of the value."),
    ]

    static let tests: [Shape.Key] =
        bounds + [
            .init(
                "not", .either(.either(.text(limit: 500), values), .object(bounds)),
                "What the value must not be.")
        ]

    private static let repetition: [Shape.Key] = [
        .init("every", .duration(most: .seconds(86_400)), required: true, "The time between two runs."),
        .init(
            "until", .dictionary(of: .either(.either(.text(limit: 500), values), .object(tests)), limit: 20),
            required: true, "What must hold for its run, such as {exit_code: 0}."),
        .init("limit", .integer(1...1_000), required: true, "How often it is run at most."),
    ]

    private static let stepRetry: [Shape.Key] = [
        .init("limit", .integer(1...100), required: true, "How many more times it is run."),
        .init("interval", .duration(most: .seconds(86_400)), "The time between two attempts; 10s by default."),
    ]

    private static let approval: [Shape.Key] = [
        .init("prompt", .text(limit: 1_000), required: true, "What the person is asked."),
        .init(
            "who", .list(of: .text(limit: 200), limit: 50),
            "Who decides, as role:NAME, group:NAME or user:NAME; otherwise everybody who may act on the operation."),
        .init("within", .duration(most: .seconds(30 * 86_400)), "How long there is to decide."),
        .init(
            "otherwise", .choice(["approve", "refuse"]), "The decision if none is made in time; `refuse` by default."),
    ]
}

/// The members of the types `http` and `feed`.
extension OperationKeys {
    static let requests: [Shape.Key] = [
        .init("request", .object(request), "The request that an operation of the type `http` sends."),
        .init(
            "expect", .object([.init("status", .list(of: .integer(100...599), limit: 50), "The statuses of success.")]),
            "Which answers are a success; any status from 200 to 299 by default."),
        .init(
            "values", .dictionary(of: .text(limit: 500), limit: 32),
            "Values of a JSON answer by name, each with its path, such as result.items.0.name."),
        .init("url", .text(limit: 8_000), "The address that a feed polls."),
        .init("every", .duration(most: .seconds(86_400)), "The time between two requests of a feed; 1m by default."),
        .init("while", .choice(["watched", "always"]), "When a feed polls: `watched` by default."),
        .init("show", .text(limit: 1_000), "The text on a feed's page; {{value}} stands for a value."),
    ]

    static let programNames: Set = [
        "command", "shell", "env", "stdin", "working_dir", "stop_signal", "stop_grace_period", "terminal", "strict",
        "literal", "limits", "max_output", "umask", "user", "states", "steps",
    ]

    private static let request: [Shape.Key] = [
        .init(
            "method", .choice(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]),
            "What is asked for; GET by default."),
        .init(
            "url", .text(limit: 8_000), required: true,
            "Where; {{field}} stands for the value of an input behind the host, percent-encoded."),
        .init(
            "headers", .dictionary(of: .text(limit: 10_000), limit: 50),
            "Header fields; {{field}} stands for the value of an input."),
        .init("json", .any, "A body of JSON, written as YAML; {{field}} stands for the value of an input."),
        .init(
            "form", .dictionary(of: .text(limit: 10_000), limit: 200),
            "A body of form fields; {{field}} stands for the value of an input."),
        .init("body", .text(limit: 100_000), "A body of text; {{field}} stands for the value of an input."),
        .init("timeout", .duration(most: .seconds(600)), "How long an attempt may take; 30s by default."),
    ]
}
