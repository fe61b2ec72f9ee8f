extension OperationKeys {
    /// A step: another operation, a program of its own, or a decision.
    static let step: [Shape.Key] =
        [
            .init("name", .name(limit: 30), required: true, "The name, which is the state of the whole run meanwhile."),
            .init("title", .words(limit: 100), "What people call the step."),
            .init("uses", .text(limit: 40), "The id of the operation that it runs."),
            .init(
                "with", .dictionary(of: .scalar, limit: 50),
                "Inputs of the step, by name; {{input}} stands for an input, {{steps.name.value}} for what an earlier step reported."
            ),
            .init("approve", .object(approval), "What a person decides."),
            .init("timeout", .duration(most: .seconds(30 * 86_400)), "After how long the step is stopped, and fails."),
            .init("retry", .object(stepRetry), "How often, and after what time, it is run again after it failed."),
            .init(
                "when_failed", .list(of: .name(limit: 30), limit: 50),
                "The steps of which one must have failed; without this, a step comes when all before it went well."),
            .init(
                "interrupted", .choice(["fail", "retry"]),
                "What a restart of the server means for the step that is running; `fail` by default."),
        ] + program

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
            "otherwise", .choice(["approve", "refuse"]), "What counts if nobody decides in time; `refuse` by default."),
    ]
}
