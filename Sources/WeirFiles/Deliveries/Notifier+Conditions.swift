import Logging
package import WeirBoards
import WeirFlows
import WeirJournals
import WeirStates

/// Messages about conditions of the server: one when a condition begins, and one when it ends.
///
/// Conditions are stored together with their messages, so a restart repeats none and loses none.
extension Notifier {
    /// The maximum number of conditions that hold at once; further ones are not reported.
    private static let limit = 100

    /// The conditions that hold.
    package var conditions: [ServerCondition] { standing.withLock { $0 } }

    /// Takes the sentences of the conditions that hold, by kind and subject.
    ///
    /// A kind that is absent has not been observed, and keeps its conditions.
    package func take(_ found: [ServerCondition.Kind: [String: String]]) async throws {
        var found = found
        if board.isRecording { found[.schedule] = missingStarts() }
        let receivers = Set(plan.withLock { $0 }.receivers)
        // Only the recording server misses others; another one ends what it reported when that server is heard.
        let nodes = board.isRecording ? board.nodes : board.nodes.filter { !$0.isSilent }
        try await change { [found, now = now()] known in
            var all = found
            all[.server] = ServerCondition.lostServers(nodes, known: known, at: now)
            // A receiver without a rule gets no message that could end its condition.
            let failing = known.filter { $0.kind == .delivery && receivers.contains($0.subject) }
            all[.delivery] = Dictionary(failing.map { ($0.subject, $0.sentence) }) { $1 }
            return all
        }
    }

    /// Notes whether the last message to a receiver was given up.
    func noteEnd(of delivery: DeliveryRecord) async {
        let isGivenUp = delivery.status == .failed
        let isOwn = plan.withLock { $0.notifications[delivery.facts.operation] != nil }
        let receiver = Self.receiver(delivery.place, delivery.rule, of: isOwn ? delivery.facts.operation : nil)
        // A test tells its result to the user who asked for it.
        guard !isGivenUp || delivery.facts.event != nil else { return }
        guard isGivenUp || conditions.contains(where: { $0.kind == .delivery && $0.subject == receiver }) else {
            return
        }
        do {
            try await change { known in
                var receivers = Dictionary(
                    known.filter { $0.kind == .delivery }.map { ($0.subject, $0.sentence) }
                ) { $1 }
                receivers[receiver] = isGivenUp ? "\(delivery.facts.headline): \(delivery.detail ?? "")" : nil
                return [.delivery: receivers]
            }
        } catch {
            logger.error("A condition could not be kept.", metadata: ["cause": "\(Quoted(error))"])
        }
    }

    /// The receiver of a rule of the settings or of an operation; several rules can lead to the same host.
    fileprivate static func receiver(_ place: String, _ rule: String, of operation: String? = nil) -> String {
        "\(place) (rule \(rule)\(operation.map { " of \($0)" } ?? ""))"
    }

    private func missingStarts() -> [String: String] {
        board.scheduleStandings.reduce(into: [:]) { sentences, item in
            guard board.catalog[item.key]?.schedule != nil else { return }
            sentences[item.key] = item.value.missingStart(of: item.key)?.sentence
        }
    }

    private func change(
        _ find: @escaping @Sendable ([ServerCondition]) -> [ServerCondition.Kind: [String: String]]
    ) async throws {
        let (now, url) = (now(), address())
        let rules = plan.withLock { $0 }.standard.filter { $0.events.contains(.server) }
        let server = serverTitle
        let messages = { @Sendable (condition: ServerCondition) in
            rules.filter { condition.kind != .delivery || Self.receiver($0.place, $0.name) != condition.subject }.map {
                rule in
                let facts = condition.facts(by: rule, server: server, url: url.map { $0 + "system" } ?? "", at: now)
                return DeliveryRecord(facts: facts, rule: rule, nextAt: now.milliseconds)
            }
        }
        let changes = { @Sendable (known: [ServerCondition]) in
            ServerCondition.changes(of: known, to: find(known), at: now, limit: Self.limit)
        }
        do {
            let (conditions, hasMessages) = try await store.changeConditions(at: now) { known in
                let (conditions, changed) = changes(known)
                return (conditions, changed.flatMap(messages))
            }
            standing.withLock { $0 = conditions }
            if hasMessages { queue.send() }
        } catch {
            // Pages and readiness show what holds; the messages follow when the store can be written.
            standing.withLock { $0 = changes($0).holding }
            throw error
        }
    }
}

extension HookPlan {
    /// The receivers of all rules, as deliveries name them.
    fileprivate var receivers: [String] {
        standard.map { Notifier.receiver($0.place, $0.name) }
            + notifications.flatMap { operation, rules in
                rules.map { Notifier.receiver($0.place, $0.name, of: operation) }
            }
    }
}

extension ServerCondition {
    /// The conditions that hold now, and those that began or ended.
    static func changes(
        of known: [ServerCondition], to found: [Kind: [String: String]], at now: Timestamp, limit: Int
    ) -> (holding: [ServerCondition], changed: [ServerCondition]) {
        var (holding, changed) = ([ServerCondition](), [ServerCondition]())
        for var condition in known {
            guard let subjects = found[condition.kind] else {
                holding.append(condition)
                continue
            }
            if let sentence = subjects[condition.subject] {
                condition.sentence = sentence
                holding.append(condition)
            } else {
                condition.isOver = true
                changed.append(condition)
            }
        }
        for kind in Kind.allCases {
            for (subject, sentence) in (found[kind] ?? [:]).sorted(by: { $0.key < $1.key })
            where holding.count < limit && !known.contains(where: { $0.kind == kind && $0.subject == subject }) {
                let condition = ServerCondition(kind, of: subject, since: now, sentence: sentence)
                holding.append(condition)
                changed.append(condition)
            }
        }
        holding.sort { ($0.kind.rawValue, $0.subject) < ($1.kind.rawValue, $1.subject) }
        return (holding, changed)
    }
}
