import HTTPTypes
import Hummingbird
import WeirBoards
import WeirJournals
import WeirOperations
import WeirPages
import WeirStates

/// What is done to a store: an action, another state, or the first one again.
struct StoreCommands {
    let dashboard: AudienceDashboard

    /// Takes an action.
    func act(on store: String, _ exchange: Exchange) async throws(Problem) -> Response {
        let entry = try dashboard.store(store)
        let sent = try await StoreBody(dashboard: dashboard, exchange: exchange).action(of: entry)
        let key = try exchange.idempotencyKey()
        let receipt: StoreReceipt
        do {
            receipt = try await dashboard.board.dispatch(
                sent.input, to: store, actor: exchange.actor, idempotencyKey: key)
        } catch {
            return try await mistakes(error, store, sent, exchange)
        }
        return try await answer(receipt, exchange)
    }

    /// Puts a state in: the one of the body, or with `at` the one of an earlier change.
    func put(into store: String, _ exchange: Exchange) async throws(Problem) -> Response {
        _ = try dashboard.store(store)
        let key = try exchange.idempotencyKey()
        try dashboard.stateWrites.take(for: exchange.principalKey ?? exchange.actor)
        let wanted = try await StoreBody(dashboard: dashboard, exchange: exchange).wantedState()
        let receipt: StoreReceipt
        do {
            receipt =
                switch wanted {
                case .after(let sequence):
                    try await dashboard.board.returnTo(
                        store, sequence: sequence, actor: exchange.actor, idempotencyKey: key)
                case .value(let state):
                    try await dashboard.board.rehydrate(
                        store, state: state, actor: exchange.actor, idempotencyKey: key)
                }
        } catch {
            throw Problem(error)
        }
        return try await answer(receipt, exchange)
    }

    /// Puts the first state back.
    func reset(_ store: String, _ exchange: Exchange) async throws(Problem) -> Response {
        _ = try dashboard.store(store)
        let key = try exchange.idempotencyKey()
        try dashboard.stateWrites.take(for: exchange.principalKey ?? exchange.actor)
        let receipt: StoreReceipt
        do {
            receipt = try await dashboard.board.reset(store, actor: exchange.actor, idempotencyKey: key)
        } catch {
            throw Problem(error)
        }
        return try await answer(receipt, exchange)
    }

    /// The cursor that a command produced, each client in its way.
    ///
    /// The store has changed by now, so no answer made here is an error.
    private func answer(_ receipt: StoreReceipt, _ exchange: Exchange) async throws(Problem) -> Response {
        let epoch = dashboard.board.epoch
        let cursor = receipt.sequence.map { FeedCursor(epoch: epoch, sequence: $0).description }
        let location = dashboard.mount.url("stores/" + receipt.store)
        let status: HTTPResponse.Status = cursor == nil ? .accepted : .ok
        guard case .api = exchange.route else {
            guard exchange.wantsJSON else { return .seeOther(location) }
            var members: [String: JSONValue] = ["location": .string(location)]
            members["cursor"] = cursor.map(JSONValue.string)
            return try .json(.object(members), status: status)
        }
        var members: [String: JSONValue] = ["id": .string(receipt.store), "recorded": .bool(cursor != nil)]
        if let sequence = receipt.sequence, let cursor {
            do {
                let view = try await dashboard.board.store(receipt.store, at: sequence)
                return try .json(.object(view.summary(epoch: epoch)))
            } catch {
                // The journal cannot be read just now.
                members["sequence"] = .integer(sequence.rawValue)
                members["cursor"] = .string(cursor)
            }
        } else {
            members["detail"] =
                "This was accepted and could not be recorded yet. It is shown as soon as it is recorded; do not repeat it."
        }
        let headers: HTTPFields = [.location: dashboard.mount.url("api/v1/stores/" + receipt.store)]
        return try .json(.object(members), status: status, headers: headers)
    }

    /// A refusal: a document, or the page with what was typed and the mistakes beside it.
    private func mistakes(
        _ error: BoardError, _ store: String, _ sent: SentInput, _ exchange: Exchange
    ) async throws(Problem) -> Response {
        guard case .invalidInput = error.code, !exchange.route.isForPrograms, !exchange.wantsJSON,
            let form = exchange.target.query["form"]
        else { throw Problem(error) }
        let draft = FormDraft(
            form: form, values: sent.typed, errors: error.fields,
            message: error.fields.isEmpty ? error.message : nil)
        return try await LivePages(dashboard: dashboard).show(.store(store), draft: draft, exchange)
    }
}
