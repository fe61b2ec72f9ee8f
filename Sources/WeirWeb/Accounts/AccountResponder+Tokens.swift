import HTTPTypes
import Hummingbird
import WeirAccess
import WeirJournals
import WeirPages
import WeirStates

extension AccountResponder {
    func tokens(_ visit: Visit) async throws(Problem) -> Response {
        try requirePerson(visit)
        guard visit.isPost else { return page(.tokens(list(visit)), visit) }
        if case .tokenRevocation(let id) = visit.route {
            try await change { try await revoke(id, visit) }
            return .seeOther(dashboard.mount.url("tokens"))
        }
        let sent = try await form(visit)
        let patterns = (sent["operations"] ?? "").split(separator: " ").map(String.init)
        let role = StoredAssignment(role: sent["role"] ?? "", operations: patterns.isEmpty ? nil : patterns)
        var list: TokenList
        do {
            guard let days = Int(sent["days"] ?? "") else {
                throw AccessError(.invalid, .tokenDays)
            }
            let token = try await directory.createToken(
                sent["name"] ?? "", roles: [role], days: days, by: visit.authorization.principal, from: visit.origin
            ).token
            list = self.list(visit)
            list.secret = token.text
            return page(.tokens(list), visit, status: .created)
        } catch let error as AccessError {
            list = self.list(visit)
            list.error = error.message
            list.name = sent["name"] ?? ""
            list.operations = sent["operations"] ?? ""
            return page(.tokens(list), visit, status: Problem(error).status)
        } catch {
            throw .internalError
        }
    }

    func apiTokens(_ visit: Visit) async throws(Problem) -> Response {
        try requirePerson(visit)
        if case .apiToken(let id) = visit.route {
            try await change { try await revoke(id, visit) }
            return Response(status: .noContent)
        }
        guard visit.isPost else { return try .json(["tokens": .array(visible(visit).map(json))]) }
        let sent = try await json(visit)
        let made = try await change {
            try Self.check(sent, has: ["name", "roles", "days"])
            let days = sent["days"]?.integer.flatMap { Int(exactly: $0) }
            // Without this check, a malformed number of days would create a token that never expires.
            guard days != nil || [nil, .null].contains(sent["days"]) else {
                throw AccessError(
                    .invalid,
                    "Send days as a whole number of 1 to 3650, or leave it out for a token that never expires.")
            }
            return try await directory.createToken(
                sent["name"]?.string ?? "", roles: try Self.roles(in: sent), days: days,
                by: visit.authorization.principal, from: visit.origin)
        }
        return try .json(
            ["token": .string(made.token.text), "id": .string(made.record.id)], status: .created)
    }

    /// Tokens and links can neither create nor list tokens.
    private func requirePerson(_ visit: Visit) throws(Problem) {
        switch visit.authorization.principal.kind {
        case .person, .operator, .system: return
        case .anonymous: throw .unauthenticated
        case .token, .link, .hook: throw .forbidden
        }
    }

    private func revoke(_ id: String, _ visit: Visit) async throws {
        try await directory.revokeToken(
            id, by: visit.authorization.principal,
            anybody: visit.authorization.permissions.allowsEverywhere(.administer), from: visit.origin)
    }

    private func visible(_ visit: Visit) -> [TokenRecord] {
        let isAdministrator = visit.authorization.permissions.allowsEverywhere(.administer)
        return directory.tokens(of: isAdministrator ? nil : visit.authorization.principal)
    }

    private func list(_ visit: Visit) -> TokenList {
        TokenList(
            rows: visible(visit).prefix(Self.shown).map { token in
                (
                    id: token.id, name: token.name, roles: token.roles.words, maker: token.maker?.name,
                    expires: token.expiresAt.map { Timestamp(milliseconds: $0) }, used: token.usedOn.map(day)
                )
            }, roles: roles)
    }

    private func json(_ token: TokenRecord) -> JSONValue {
        var members: [String: JSONValue] = [
            "id": .string(token.id), "name": .string(token.name), "roles": .array(token.roles.map(Self.json)),
            "created": .string(Timestamp(milliseconds: token.createdAt).description),
        ]
        members["maker"] = token.maker.map { .string($0.name) }
        members["expires"] = token.expiresAt.map { .string(Timestamp(milliseconds: $0).description) }
        members["usedOn"] = token.usedOn.map { .string(day($0)) }
        return .object(members)
    }

    private func day(_ number: Int64) -> String {
        let (milliseconds, isOver) = number.multipliedReportingOverflow(by: 86_400_000)
        return String(Timestamp(milliseconds: isOver ? 0 : milliseconds).description.prefix(10))
    }
}
