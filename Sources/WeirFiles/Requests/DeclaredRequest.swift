/// A request that a file declares.
struct DeclaredRequest: Sendable {
    /// What is sent along.
    enum Body: Sendable {
        case text(TextTemplate)
        case json(JSONTemplate)
        case form([(name: String, value: TextTemplate)])
    }

    let method: String
    let url: TextTemplate
    let headers: [(name: String, value: TextTemplate)]
    let body: Body?
    /// The statuses of success; empty for 200 to 299.
    let statuses: Set<Int>
    /// How long an attempt may take.
    let timeout: Duration
    /// What is read from the answer.
    let values: [DeclaredValue]
}

/// A JSON address that a file has polled.
struct DeclaredFeed: Sendable {
    let url: String
    let every: Duration
    /// Whether it is polled also while nobody watches.
    let isAlways: Bool
    let show: TextTemplate?
    let values: [DeclaredValue]
}
