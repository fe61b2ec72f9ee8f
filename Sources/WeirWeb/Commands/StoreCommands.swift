import HTTPTypes
import Hummingbird
import NIOCore
import WeirBoards
import WeirJournals
import WeirOperations
import WeirPages
import WeirStates

struct StoreCommands {
    let dashboard: AudienceDashboard

    func act(on store: String, _ exchange: Exchange) async throws(Problem) -> Response {
        let entry = try dashboard.store(store)
        let sent = try await StoreBody(dashboard: dashboard, exchange: exchange).action(of: entry)
        exchange.notes.add("action \(sent.input["type"]?.string ?? "without a type")")
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

    /// Replaces the state with the one in the body, or with `at` the one after an earlier change.
    func put(into store: String, _ exchange: Exchange) async throws(Problem) -> Response {
        _ = try dashboard.store(store)
        let key = try exchange.idempotencyKey()
        try dashboard.stateWrites.take(for: exchange.principalKey ?? exchange.actor)
        let wanted = try await StoreBody(dashboard: dashboard, exchange: exchange).wantedState()
        switch wanted {
        case .after(let sequence): exchange.notes.add("to change \(sequence)")
        case .value: exchange.notes.add("to a sent state")
        }
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

    /// Returns the cursor of a command in the format of the client.
    ///
    /// The store has already changed, so the response is never an error.
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
                // The journal cannot be read.
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

    /// Returns a refusal: a problem document, or the page with the sent values and the mistakes.
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

struct StoreBody {
    let dashboard: AudienceDashboard
    let exchange: Exchange

    /// Reads an action, such as `{"type":"tick","step":3}`; in a form, `type` is one of the fields.
    func action(of entry: StoreEntry) async throws(Problem) -> SentInput {
        switch try await read(limit: dashboard.configuration.maximumBodyBytes) {
        case .json(let value): return SentInput(input: value)
        case .form(let fields):
            guard let type = fields["type"] else { return SentInput(input: [:]) }
            let form = entry.form(type)?.fields ?? []
            var values = try fields.values(of: form)
            values["type"] = nil
            let input = InputField.object(
                fromForm: values, fields: form, decimal: dashboard.decimalMark(exchange))
            let action = SentInput(input: input, typed: values)
            return action.adding("type", .string(type))
        }
    }

    enum WantedState {
        /// The state after a change.
        case after(SequenceNumber)
        case value(JSONValue)
    }

    /// Reads the new state: the one after the change that `at` names in the query or form, or the JSON body.
    func wantedState() async throws(Problem) -> WantedState {
        if let moment = exchange.target.query["at"] { return .after(try exchange.moment(moment)) }
        let limit = min(dashboard.configuration.maximumStateBytes, dashboard.configuration.maximumBodyBytes)
        switch try await read(limit: limit) {
        case .json(let value): return .value(value)
        case .form(let fields):
            guard let moment = fields["at"] else { throw .unsupportedMediaType(accepted: "application/json") }
            return .after(try exchange.moment(moment))
        }
    }

    private enum Content: Sendable {
        case json(JSONValue)
        case form(FormFields)
    }

    private func read(limit: Int) async throws(Problem) -> Content {
        var body = BodyReader(exchange, limit: Int64(limit), budget: dashboard.bodies)
        let bytes = try await body.collect()
        guard let type = ContentType(exchange.header(.contentType)), type.isForm || type.isJSON else {
            throw .unsupportedMediaType(accepted: "application/json", "application/x-www-form-urlencoded")
        }
        return try await bytes.read { (bytes) throws(Problem) in
            type.isForm ? .form(try FormFields(body: bytes)) : .json(try JSONValue(body: bytes))
        }
    }
}

struct StoreEffects {
    let dashboard: AudienceDashboard

    func show(_ place: Route.EffectPlace, _ exchange: Exchange) async throws(Problem) -> Response {
        let view: StoreView
        do {
            view = try await dashboard.board.store(place.store, at: place.sequence)
        } catch {
            throw Problem(error)
        }
        let effects = view.log.first { $0.sequence == place.sequence }?.step.effects ?? []
        guard effects.indices.contains(place.index),
            case .download(let filename, let mediaType, let text) = effects[place.index].kind
        else { throw .notFound(.noStoreFile) }
        let isPlain = mediaType.utf8.allSatisfy { (0x20...0x7e).contains($0) } && ContentType(mediaType) != nil
        return .text(
            text, type: isPlain ? mediaType : "application/octet-stream", caching: "private, max-age=60",
            headers: [.contentDisposition: "attachment; filename*=UTF-8''" + PercentEncoding.encode(filename)])
    }
}

struct StorePast {
    let dashboard: AudienceDashboard

    /// Shows the page after the change `moment`; `previous` is the one before the newest.
    func show(_ store: String, at moment: String, _ exchange: Exchange) async throws(Problem) -> Response {
        let board = dashboard.board
        let latest: StoreView
        do { latest = try board.store(store) } catch { throw Problem(error) }
        let previous = latest.log.dropFirst().first?.sequence ?? latest.sequence
        let sequence = moment == "previous" ? previous : try exchange.moment(moment)
        let view: StoreView
        let next: SequenceNumber?
        do {
            view = try await board.store(store, at: sequence)
            next = try await board.changes(of: .store(store), after: view.sequence, limit: 1).changes.first?.sequence
        } catch {
            throw Problem(error)
        }
        let frame = exchange.frame(dashboard)
        return try await .page(for: exchange) { [renderer = dashboard.renderer] in
            renderer.past(view, latest: latest, next: next, frame: frame)
        }
    }
}
