/// What files say of requests: the types `http` and `feed`.
extension OperationKeys {
    /// The members of a file that make requests.
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
        .init("show", .text(limit: 1_000), "What the page of a feed says; {{value}} stands for a value."),
    ]

    /// The names of the members that only programs have.
    static let programNames: Set = [
        "command", "shell", "env", "stdin", "working_dir", "stop_signal", "stop_grace_period", "terminal", "strict",
        "literal", "limits", "umask", "states", "steps",
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
