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
            "when", .list(of: .choice(NotificationEvent.allCases.map(\.rawValue)), limit: 10), required: true,
            "What is worth a message; `recovered` is a success after a failure, `slow` a run that takes longer than usual."
        ),
        .init("webhook", .object(webhook), "A request that is sent."),
        .init(
            "command", .list(of: .text(limit: 10_000), limit: 100),
            "A program and its arguments; {{title}}, {{event}}, {{message}} and so on stand for what happened."),
    ])

    private static let webhook: [Shape.Key] = [
        .init(
            "url", .text(limit: 4_000), required: true,
            "The address; {{secrets.NAME}} stands for a kept secret, for addresses that are secret."),
        .init(
            "body", .choice(NotificationFormat.allCases.map(\.rawValue)), "What the receiver is; `generic` by default."),
        .init(
            "headers", .dictionary(of: .text(limit: 4_000), limit: 20),
            "Header fields; {{secrets.NAME}} stands for a kept secret."),
        .init("signed_with", .name(limit: 40), "The name of the secret by which the request is signed."),
    ]
}
