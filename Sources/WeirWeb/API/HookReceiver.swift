import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import WeirAccess
import WeirBoards
import WeirJournals
import WeirOperations
import WeirPages
import WeirStates

/// Receives requests from outside that start an operation, authorized by the trigger's secret alone.
///
/// Before the signature is verified, only the request body is read. A repeated request returns the run it started the first
/// time and starts no other.
struct HookReceiver {
    /// The dashboard with full permissions; the trigger's secret is the authorization.
    let dashboard: AudienceDashboard
    let request: Request
    let exchange: Exchange

    init(dashboard: AudienceDashboard, request: Request, target: RequestTarget, route: Route, eventLoop: any EventLoop)
    {
        self.dashboard = dashboard
        self.request = request
        exchange = Exchange(
            request: request, target: target, route: route, locale: .english,
            viewer: PageViewer(name: "hook", canRename: false), eventLoop: eventLoop, admission: nil, right: nil,
            account: nil)
    }

    /// Answers 202 with the run that was started, or 200 if the trigger starts none.
    ///
    /// `audited` receives the subject, principal and admission for the audit log. Throws 401 if the signature is missing or
    /// wrong, or the problem that prevents the run's start.
    func receive(
        _ operation: String, _ name: String, audited: inout AuditedRequest
    ) async throws(Problem) -> Response {
        guard let hooks = dashboard.configuration.hooks,
            let rule = hooks.triggers(of: operation).first(where: { $0.name == name })
        else { throw .unprovenHook }
        audited.subject = "hook:\(rule.id)"
        var reader = BodyReader(
            exchange, limit: Int64(dashboard.configuration.maximumBodyBytes), budget: dashboard.bodies)
        let content = Data((try await reader.collect()).readableBytesView)
        let now = dashboard.clock.wall
        let key: String?
        do throws(TriggerRequest.Unproven) {
            let unread = TriggerRequest(headers: headers, content: content, body: .null)
            // Without a configured secret no signature can be verified.
            guard let secret = hooks.secret(rule.secret) else { throw TriggerRequest.Unproven.wrong }
            key = try unread.proof(rule.form, secret: secret, now: now / 1_000)
        } catch {
            await hooks.note(TriggerRecord(trigger: rule.id, at: now, .unproven, detail: error.sentence), key: nil)
            throw .unprovenHook
        }
        audited.principal = .hook(rule.id)
        audited.isAdmitted = true
        try dashboard.hookStarts.take(for: rule.id)
        return try await act(rule, content, key: key, hooks, now: now)
    }

    private func act(
        _ rule: TriggerRule, _ content: Data, key: String?, _ hooks: any HookService, now: Int64
    ) async throws(Problem) -> Response {
        let type = ContentType(firstOf: request.headers[.contentType])
        let body = try await ByteBuffer(bytes: content).read { (bytes) throws(Problem) in
            try JSONValue(trigger: bytes, type: type)
        }
        let trigger = TriggerRequest(headers: headers, content: content, body: body)
        func note(_ outcome: TriggerRecord.Outcome, run: String? = nil, _ detail: String? = nil, key: String? = nil)
            async
        {
            await hooks.note(
                TriggerRecord(trigger: rule.id, at: now, outcome, run: run, detail: detail), key: key)
        }
        func refuse(_ error: BoardError) async -> Problem {
            let mistakes = error.fields.map { "\($0.field): \($0.detail)" }
            await note(.refused, ([error.description] + mistakes).joined(separator: " "))
            return Problem(error)
        }
        switch rule.decide(trigger) {
        case .ping:
            await note(.ping)
            return try .json(["detail": "The address and the secret are right."])
        case .ignored(let reason):
            await note(.ignored, reason)
            return try .json(["ignored": true, "detail": .string(reason)])
        case .refused(let mistakes):
            throw await refuse(.invalidInput(mistakes))
        case .start(let values):
            do {
                if let key, let run = try await hooks.run(of: rule, key: key) {
                    await note(.repeated, run: run)
                    return try answer(run, isRepeated: true)
                }
            } catch let problem as Problem {
                throw problem
            } catch {
                throw Problem(
                    BoardError(
                        .unavailable,
                        Message(verbatim: "It is not known whether this request came before. Send it again.")))
            }
            let fields = dashboard.board.catalog[rule.operation]?.fields ?? []
            let receipt: StartReceipt
            do {
                receipt = try await dashboard.board.start(
                    rule.operation, input: InputField.object(fromScalars: values, fields: fields),
                    actor: rule.actor, idempotencyKey: key)
            } catch {
                throw await refuse(error)
            }
            // Of deliveries that arrive together, the board finds the run of the first by its key.
            let isRepeated = await isRepeated(receipt, key: key)
            await note(isRepeated ? .repeated : .started, run: receipt.run, key: isRepeated ? nil : key)
            return try answer(receipt.run, isRepeated: isRepeated)
        }
    }

    /// Whether a start found the run of its key; a run that was joined has another key.
    private func isRepeated(_ receipt: StartReceipt, key: String?) async -> Bool {
        guard let key, !receipt.isNew else { return false }
        let view = try? await dashboard.board.run(receipt.run)
        return view?.record.opening.idempotencyKey == key
    }

    private func answer(_ run: String, isRepeated: Bool) throws(Problem) -> Response {
        let url = dashboard.mount.url("runs/" + run)
        return try .json(
            ["run": .string(run), "url": .string(url), "repeated": .bool(isRepeated)], status: .accepted,
            headers: [.location: url])
    }

    private var headers: [String: String] {
        Dictionary(request.headers.map { ($0.name.canonicalName, $0.value) }) { first, _ in first }
    }
}

extension TriggerRequest.Unproven {
    fileprivate var sentence: String {
        switch self {
        case .missing: "The request is not signed as the trigger’s form says."
        case .wrong: "The signature or the secret is wrong."
        case .late: "The request was signed more than five minutes ago, or the clocks differ."
        }
    }
}

extension Problem {
    static let unprovenHook = Problem(
        "unproven-hook", .unauthorized, "Not proven",
        "There is no such hook, or the request is not signed with its secret. The operation’s page shows the address and the form.",
        closes: true)
}

extension JSONValue {
    /// Reads a trigger's body: JSON, or a form with JSON in the field `payload`, which is GitHub's default; null if empty.
    init(trigger content: ByteBuffer, type: ContentType?) throws(Problem) {
        guard content.readableBytes > 0 else {
            self = .null
            return
        }
        guard type?.isForm == true else {
            self = try JSONValue(body: content)
            return
        }
        guard let payload = try FormFields(body: content)["payload"] else {
            throw .malformedBody("The form has no field “payload” with JSON. Choose JSON as the content type.")
        }
        self = try JSONValue(body: ByteBuffer(string: payload))
    }
}
