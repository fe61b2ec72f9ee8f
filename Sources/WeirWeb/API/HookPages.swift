import HTTPTypes
import Hummingbird
import Logging
import WeirAccess
import WeirBoards
import WeirJournals
import WeirPages
import WeirStates

struct HookPages {
    let dashboard: AudienceDashboard

    /// The hooks section of an operation's or run's page, or nil if it would be empty.
    func content(on name: PageName) async throws(Problem) -> PageHooks? {
        guard let hooks = dashboard.configuration.hooks else { return nil }
        do {
            switch name {
            case .operation(let id):
                // Only administrators see triggers, both here and in the API.
                let isWhole = dashboard.permissions.allowsEverywhere(.administer)
                let (triggers, rules) = (isWhole ? hooks.triggers(of: id) : [], hooks.notifications(of: id))
                guard !triggers.isEmpty || !rules.isEmpty else { return nil }
                var page = PageHooks(
                    operation: id,
                    triggers: triggers.map { PageHooks.Trigger(rule: $0, hasSecret: hooks.secret($0.secret) != nil) },
                    requests: isWhole ? try await hooks.requests(toTriggersOf: id) : [], rules: rules,
                    deliveries: try await hooks.deliveries(of: id))
                page.server = server
                return page
            // A shared link does not reveal the recipients of notifications.
            case .run where dashboard.permissions.isLink: return nil
            case .run(let id):
                let operation = try await dashboard.board.run(id).record.operation
                let rules = hooks.notifications(of: operation)
                let deliveries = try await hooks.deliveries(ofRun: id)
                guard !rules.isEmpty || !deliveries.isEmpty else { return nil }
                var page = PageHooks(operation: operation, rules: rules, deliveries: deliveries, isOfRun: true)
                page.server = server
                return page
            default: return nil
            }
        } catch let error as BoardError {
            throw Problem(error)
        } catch {
            throw .unreadableHooks
        }
    }

    /// The server whose messages and requests these are, or nil if there is only one.
    private var server: String? { dashboard.board.nodes.thisServer }

    /// The notifications of the system page, or nil if there are none.
    func serverContent() async -> PageHooks? {
        guard dashboard.permissions.allowsEverywhere(.administer), let hooks = dashboard.configuration.hooks else {
            return nil
        }
        let rules = hooks.notifications(of: ServerCondition.operation)
        // The system page must show its conditions also if this file cannot be read.
        let deliveries = (try? await hooks.deliveries(of: ServerCondition.operation)) ?? []
        guard !rules.isEmpty || !deliveries.isEmpty else { return nil }
        var page = PageHooks(operation: ServerCondition.operation, rules: rules, deliveries: deliveries)
        page.server = server
        return page
    }

    /// Lists the rules and messages of an operation, or without one, those about the server.
    func list(_ operation: String?) async throws(Problem) -> Response {
        let operation = try subject(operation)
        guard let hooks = dashboard.configuration.hooks else { return try .json(["rules": [], "deliveries": []]) }
        let deliveries: [DeliveryRecord]
        do { deliveries = try await hooks.deliveries(of: operation) } catch { throw .unreadableHooks }
        return try .json([
            "rules": .array(hooks.notifications(of: operation).map(\.json)),
            "deliveries": .array(deliveries.map(\.json)), "server": server.map(JSONValue.string) ?? .null,
        ])
    }

    func list(ofRun run: String) async throws(Problem) -> Response {
        guard !dashboard.permissions.isLink else { throw .noSuchPage }
        do { _ = try await dashboard.board.run(run) } catch { throw Problem(error) }
        guard let hooks = dashboard.configuration.hooks else { return try .json(["deliveries": []]) }
        let deliveries: [DeliveryRecord]
        do { deliveries = try await hooks.deliveries(ofRun: run) } catch { throw .unreadableHooks }
        return try .json([
            "deliveries": .array(deliveries.map(\.json)), "server": server.map(JSONValue.string) ?? .null,
        ])
    }

    func triggers(_ operation: String) async throws(Problem) -> Response {
        guard dashboard.board.catalog[operation] != nil else { throw .unknownOperation(operation) }
        guard let hooks = dashboard.configuration.hooks else { return try .json(["triggers": [], "requests": []]) }
        let requests: [TriggerRecord]
        do { requests = try await hooks.requests(toTriggersOf: operation) } catch { throw .unreadableHooks }
        let triggers = hooks.triggers(of: operation).map { rule -> JSONValue in
            [
                "name": .string(rule.name), "form": .string(rule.form.rawValue),
                "url": .string(dashboard.mount.url(rule.path)),
                "ready": .bool(hooks.secret(rule.secret) != nil),
            ]
        }
        return try .json([
            "triggers": .array(triggers), "requests": .array(requests.map(\.json)),
            "server": server.map(JSONValue.string) ?? .null,
        ])
    }

    private func subject(_ operation: String?) throws(Problem) -> String {
        guard let operation else { return ServerCondition.operation }
        guard dashboard.board.catalog[operation] != nil else { throw .unknownOperation(operation) }
        return operation
    }

    /// Sends a test by each rule of an operation, or without one, by each rule for the server, digests and reports.
    func test(_ id: String?, _ exchange: Exchange) async throws(Problem) -> Response {
        let operation = try subject(id)
        guard let hooks = dashboard.configuration.hooks, !hooks.notifications(of: operation).isEmpty else {
            throw Problem(
                "no-notifications", .conflict, "No notifications",
                id == nil ? .serverTellsNobody : .nobodyTold, ["operation": "\(operation.prefix(64))"])
        }
        try dashboard.hookStarts.take(for: "test \(operation)")
        let deliveries: [DeliveryRecord]
        do { deliveries = try await hooks.test(operation, actor: exchange.actor) } catch { throw .unreadableHooks }
        dashboard.logger.notice(
            "Test messages were asked for.",
            metadata: ["operation": "\(operation)", "actor": "\(Quoted(exchange.actor))"])
        guard case .api = exchange.route else {
            guard exchange.wantsJSON else { return .seeOther(exchange.wayBack(in: dashboard.mount)) }
            return try .json(["deliveries": .array(deliveries.map(\.json))], status: .accepted)
        }
        return try .json(["deliveries": .array(deliveries.map(\.json))], status: .accepted)
    }
}

extension NotificationRule {
    /// The rule without secret parts.
    fileprivate var json: JSONValue {
        [
            "name": .string(name), "when": .array(occasions.map(\.rawValue).sorted().map(JSONValue.string)),
            "place": .string(place),
        ]
    }
}

extension Problem {
    fileprivate static let unreadableHooks = Problem(
        BoardError(.unavailable, Message(ProblemWording.unreadableHooks)))
}
