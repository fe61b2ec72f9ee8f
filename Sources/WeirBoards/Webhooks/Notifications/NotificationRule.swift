/// What is worth a message.
package enum NotificationEvent: String, Sendable, Hashable, Codable, CaseIterable {
    /// A run failed.
    case failed
    /// A run succeeded.
    case succeeded
    /// A run was cancelled.
    case cancelled
    /// A run ended because the server did.
    case interrupted
    /// A run succeeded after the one before it had not.
    case recovered
    /// A run takes longer than usual; it has not ended.
    case slow
}

/// Who is told what of an operation's runs.
package struct NotificationRule: Sendable, Hashable {
    /// How somebody is told.
    package enum Channel: Sendable, Hashable {
        case webhook(Webhook)
        /// A program and its arguments.
        case command([PathTemplate])
    }

    /// A request that is sent.
    package struct Webhook: Sendable, Hashable {
        /// Its paths lie below `secrets`.
        package let url: PathTemplate
        package let body: NotificationFormat
        package let headers: [Header]
        /// The name of the kept secret by which it is signed.
        package let signingSecret: String?

        package init(
            url: PathTemplate, body: NotificationFormat, headers: [Header] = [], signingSecret: String? = nil
        ) {
            self.url = url
            self.body = body
            self.headers = headers
            self.signingSecret = signingSecret
        }
    }

    /// A header field of the request; its paths lie below `secrets`.
    package struct Header: Sendable, Hashable {
        package let name: String
        package let value: PathTemplate

        package init(name: String, value: PathTemplate) {
            self.name = name
            self.value = value
        }
    }

    /// Its name among the operation's rules: what ties a message that waits to its rule when the file changes.
    package let name: String
    package let events: Set<NotificationEvent>
    package let channel: Channel

    package init(name: String, events: Set<NotificationEvent>, channel: Channel) {
        self.name = name
        self.events = events
        self.channel = channel
    }

    /// Where it goes, for people: without anything that may be secret.
    package var place: String {
        switch channel {
        case .webhook(let webhook):
            if let secret = webhook.url.paths.first { return "\(webhook.body.title): \(secret)" }
            let authority = webhook.url.beginning.split(separator: "/").dropFirst().first
            return "\(webhook.body.title): \(authority?.prefix(100) ?? "")"
        case .command(let arguments): return "\(arguments.first?.beginning.prefix(100) ?? "")"
        }
    }

    /// The names of the kept secrets that it needs.
    package var secrets: Set<String> {
        guard case .webhook(let webhook) = channel else { return [] }
        let paths = webhook.url.paths + webhook.headers.flatMap(\.value.paths)
        return Set(paths.compactMap { $0.below?.description } + [webhook.signingSecret].compactMap { $0 })
    }
}
