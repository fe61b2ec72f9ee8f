import Hummingbird
import WeirBoards
import WeirJournals
import WeirOperations
import WeirStates

struct StoreList {
    let dashboard: AudienceDashboard

    func list() throws(Problem) -> Response {
        let epoch = dashboard.board.epoch
        return try .json(["stores": .array(dashboard.board.stores().map { .object($0.summary(epoch: epoch)) })])
    }

    /// The current state of a store, or with `at` its state after that change.
    func show(_ id: String, _ exchange: Exchange) async throws(Problem) -> Response {
        let view: StoreView
        let moment = try exchange.target.query["at"].map(exchange.moment)
        do {
            view =
                if let moment {
                    try await dashboard.board.store(id, at: moment)
                } else {
                    try dashboard.board.store(id)
                }
        } catch {
            throw Problem(error)
        }
        return try .json(view.json(epoch: dashboard.board.epoch))
    }
}

extension StoreView {
    func summary(epoch: String) -> [String: JSONValue] {
        [
            "id": .string(id), "title": .string(entry.title), "summary": .string(entry.summary),
            "case": .string(state.caseName), "phase": .string(state.phase.rawValue), "state": state.payload,
            "progress": state.progressJSON, "revision": .integer(revision), "sequence": .integer(sequence.rawValue),
            "cursor": .string(FeedCursor(epoch: epoch, sequence: sequence).description),
            "last": log.first?.json ?? .null,
        ]
    }

    func json(epoch: String) -> JSONValue {
        let more: [String: JSONValue] = [
            "actions": .array(entry.forms.map(\.json)), "offers": .array(offers.map(\.json)),
            "log": .array(log.map(\.json)), "omitted": .integer(omittedSteps),
        ]
        return .object(summary(epoch: epoch).merging(more) { $1 })
    }
}

extension StoreLogLine {
    var json: JSONValue {
        let members: [String: JSONValue] = [
            "sequence": .integer(sequence.rawValue), "revision": .integer(revision), "at": .string(at.description),
            "case": .string(caseName), "phase": .string(phase.rawValue),
            "cause": cause.map(JSONValue.string) ?? .null,
        ]
        return .object(members.merging(step.told) { $1 })
    }
}

extension StoreStep {
    /// The step's members except the idempotency key.
    var told: [String: JSONValue] {
        [
            "kind": .string(kind.rawValue), "action": action?.json ?? .null,
            "actor": actor.map(JSONValue.string) ?? .null, "effects": .array(effects.map(\.json)),
            "returnedTo": returnedTo.map { .integer($0.rawValue) } ?? .null,
        ]
    }
}

extension ActionForm {
    /// The form; an action is sent with this name as `type` and the fields beside it.
    fileprivate var json: JSONValue {
        [
            "type": .string(name), "title": .string(title), "tone": .string(tone.rawValue),
            "fields": .array(fields.map(\.json)), "inputSchema": JSONSchema(for: fields).value,
        ]
    }
}

extension ActionOffer {
    fileprivate var json: JSONValue {
        [
            "type": .string(form), "title": title.map(JSONValue.string) ?? .null, "values": values,
            "anchor": anchor.map(JSONValue.string) ?? .null, "enabled": .bool(isEnabled),
        ]
    }
}
