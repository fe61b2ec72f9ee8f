import Crypto
import Foundation
package import WeirJournals
import WeirStates

/// A condition of the server itself that its operators should know about.
package struct ServerCondition: Sendable, Hashable, Codable {
    package enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        /// The journal does not accept changes.
        case recording
        /// The data folder's file system is almost full.
        case disk
        /// The latest scheduled start of an operation was missed or refused.
        case schedule
        /// The last message to a receiver was given up.
        case delivery
        /// A scheduled backup is missing, or the last one failed.
        case backup
        /// The server's certificate ends soon.
        case certificate
        /// Files of operations, templates or strings have mistakes.
        case files
        /// Changed settings were refused.
        case settings
        /// Another server on the same database has other operation files.
        case catalog
        /// Another server on the same database is gone without having been stopped.
        case server
    }

    /// The operation of messages about the server, which no operation can have as its id.
    package static let operation = "(server)"

    package let kind: Kind
    /// The operation or the receiver, for kinds that can hold for several at once; otherwise empty.
    package let subject: String
    package let since: Timestamp
    package var sentence: String
    package var isOver = false

    package init(_ kind: Kind, of subject: String = "", since: Timestamp, sentence: String) {
        self.kind = kind
        self.subject = subject
        self.since = since
        self.sentence = sentence
    }

    /// The predicate of the headline.
    package var words: String {
        switch kind {
        case .recording: isOver ? "records again" : "does not record"
        case .disk: isOver ? "has disk space again" : "has little disk space left"
        case .schedule: isOver ? "starts \(subject) by its schedule again" : "did not start \(subject) by its schedule"
        case .delivery: isOver ? "delivers messages to \(subject) again" : "could not deliver a message to \(subject)"
        case .backup: isOver ? "has a recent backup again" : "has no recent backup"
        case .certificate: isOver ? "has a new certificate" : "has a certificate that ends soon"
        case .files: isOver ? "has no files with mistakes any more" : "has files with mistakes"
        case .settings: isOver ? "applies its settings again" : "refused changed settings"
        case .catalog:
            isOver ? "has the operation files of the other servers" : "has other operation files than another server"
        case .server: isOver ? "no longer misses the server \(subject)" : "has lost the server \(subject)"
        }
    }

    /// How long a server that does not return is missed, in milliseconds.
    private static let missedFor: Int64 = 86_400_000

    /// The sentences about servers that are gone, by name, for the server that records.
    ///
    /// A server is missed while it is silent, and for a day after it has left the list, until one with its name is heard. One that is
    /// stopped leaves the list at once.
    package static func lostServers(
        _ nodes: [NodeView], known: [ServerCondition], at now: Timestamp
    ) -> [String: String] {
        let heard = Set(nodes.filter { !$0.isSilent }.map(\.node.name))
        let silent = nodes.filter { $0.isSilent && !$0.isThis }.map { view in
            (
                view.node.name,
                "The server \(view.node.name) has sent nothing to the database for seconds, and the runs that it executed are "
                    + "interrupted. Look at its machine and its log, and start it again."
            )
        }
        let missed = known.filter { $0.kind == .server && now - $0.since < missedFor }.map { ($0.subject, $0.sentence) }
        return Dictionary((silent + missed).filter { !heard.contains($0.0) }) { first, _ in first }
    }

    /// The facts of a message by a rule, whose id is the same whenever the message is created again.
    package func facts(by rule: NotificationRule, server: String, url: String, at now: Timestamp) -> NotificationFacts {
        let place =
            subject.isEmpty
            ? kind.rawValue : "\(kind.rawValue)-\(Hex(SHA256.hash(data: Data(subject.utf8)).prefix(8)).text)"
        var facts = NotificationFacts(
            delivery: "server-\(place)-\(since.milliseconds)-\(isOver ? "end" : "begin")-\(rule.name)", event: .server,
            operation: Self.operation, title: server, url: url, message: sentence, actor: "Weir",
            endedAt: now.milliseconds)
        facts.condition = self
        return facts
    }
}
