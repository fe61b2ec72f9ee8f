import HTTPTypes
import Hummingbird
import Logging
import WeirAccess
import WeirJournals
import WeirPages
import WeirStates

/// People, sessions and links, for every way to sign in: administrators list and end everyone's, others their own.
extension AccountResponder {
    /// The number of people, sessions, links or tokens that a page shows; the API and the command line list all.
    static let shown = 500

    private func administers(_ visit: Visit) -> Bool { visit.authorization.permissions.allowsEverywhere(.administer) }

    private func owner(_ visit: Visit) -> Principal? { administers(visit) ? nil : visit.authorization.principal }

    // MARK: People

    func row(_ person: PersonAccess) -> PersonRow {
        (
            id: person.id, name: person.person.name, identity: person.person.identity,
            groups: person.person.groups.joined(separator: ", "),
            seen: person.seenAt.map { Timestamp(milliseconds: $0) },
            leaseEnd: person.leaseEnd.map { Timestamp(milliseconds: $0) }, sessions: person.sessions.count,
            tokens: person.tokens.count, links: person.links.count
        )
    }

    func apiPeople(_ visit: Visit) async throws(Problem) -> Response {
        guard accounts.asksWho else { throw .noSuchPage }
        guard case .apiPerson(let id) = visit.route else {
            return try .json(["people": .array(directory.people.map(json))])
        }
        let ended = try await change {
            try await directory.endAccess(of: id, by: visit.authorization.principal, from: visit.origin)
        }
        return try .json([
            "sessions": .integer(Int64(ended.sessions.count)), "tokens": .integer(Int64(ended.tokens.count)),
            "links": .integer(Int64(ended.links.count)),
        ])
    }

    private func json(_ person: PersonAccess) -> JSONValue {
        var members: [String: JSONValue] = [
            "id": .string(person.id), "name": .string(person.person.name), "identity": .string(person.person.identity),
            "groups": .array(person.person.groups.map(JSONValue.string)), "roles": .array(person.roles.map(Self.json)),
            "sessions": .array(person.sessions.map { .string($0.id) }),
            "tokens": .array(person.tokens.map { .string($0.id) }),
            "links": .array(person.links.map { .string($0.id) }),
        ]
        members["seen"] = person.seenAt.map(moment)
        members["leaseEnd"] = person.leaseEnd.map(moment)
        return .object(members)
    }

    private func moment(_ milliseconds: Int64) -> JSONValue {
        .string(Timestamp(milliseconds: milliseconds).description)
    }

    // MARK: Sessions

    func sessions(_ visit: Visit) async throws(Problem) -> Response {
        guard accounts.canSignIn else { throw .noSuchPage }
        switch visit.route {
        case .sessionEnding(let id):
            try await end(session: id, visit)
            return .seeOther(dashboard.mount.url("sessions"))
        case .apiSession(let id):
            try await end(session: id, visit)
            return Response(status: .noContent)
        case .apiSessions:
            let list = directory.sessions(of: owner(visit)).map { session -> JSONValue in
                [
                    "id": .string(session.id), "person": .string(session.person.identity),
                    "name": .string(session.person.name), "begun": moment(session.begunAt),
                    "used": moment(session.usedAt),
                    "address": session.address.map(JSONValue.string) ?? .null,
                ]
            }
            return try .json(["sessions": .array(list)])
        default:
            let own = session(visit)?.hash
            let rows = directory.sessions(of: owner(visit)).prefix(Self.shown).map { session -> SessionRow in
                (
                    id: session.id, name: session.person.name, address: session.address ?? "",
                    begun: Timestamp(milliseconds: session.begunAt), used: Timestamp(milliseconds: session.usedAt),
                    isThis: session.hash == own
                )
            }
            return page(.sessions(rows), visit)
        }
    }

    private func end(session id: String, _ visit: Visit) async throws(Problem) {
        try await change {
            try await directory.endSession(
                id, by: visit.authorization.principal, anybody: administers(visit), from: visit.origin)
        }
    }

    // MARK: Links

    func allLinks(_ visit: Visit) async throws(Problem) -> Response {
        guard accounts.asksWho else { throw .noSuchPage }
        switch visit.route {
        case .linkRevocation(let id):
            try await revoke(link: id, visit)
            return .seeOther(dashboard.mount.url("links"))
        case .apiLink(let id):
            try await revoke(link: id, visit)
            return Response(status: .noContent)
        case .apiLinks:
            let list = seenLinks(visit).map { link -> JSONValue in
                [
                    "id": .string(link.id), "run": .string(link.run), "operation": .string(link.operation),
                    "maker": link.maker.map { .string($0.name) } ?? .null, "expires": moment(link.expiresAt),
                ]
            }
            return try .json(["links": .array(list)])
        default:
            let rows = seenLinks(visit).prefix(Self.shown).map { link -> AllLinkRow in
                (
                    id: link.id, run: link.run, operation: link.operation, maker: link.maker?.name,
                    expires: Timestamp(milliseconds: link.expiresAt)
                )
            }
            return page(.allLinks(rows), visit)
        }
    }

    private func seenLinks(_ visit: Visit) -> [LinkRecord] {
        let owner = owner(visit)
        return directory.links().filter { link in owner.map { directory.isMaker($0, link.maker) } ?? true }
    }

    private func revoke(link id: String, _ visit: Visit) async throws(Problem) {
        try await change {
            try await directory.revokeLink(
                id, by: visit.authorization.principal, anybody: administers(visit), from: visit.origin)
        }
    }
}

// MARK: Back-channel logout

extension AccountResponder {
    /// Ends the sessions that a verified logout token names; the answers are those of the specification, section 2.8.
    func endProviderSessions(_ visit: Visit) async throws(Problem) -> Response {
        guard let provider = accounts.provider else { throw .noSuchPage }
        let sent = try await form(visit)
        do {
            guard let token = sent["logout_token"] else {
                throw IdentityProviderError(.failed, "The form has no logout_token.")
            }
            let signOut = try await provider.signOut(token: token)
            _ = try await directory.endSessions(of: signOut, from: visit.origin)
            return Response(status: .ok)
        } catch let error as IdentityProviderError {
            dashboard.logger.warning(
                "A logout token of the identity provider was refused.", metadata: ["cause": "\(Quoted(error))"])
            directory.audit.record(
                .endSession, by: .anonymous, from: visit.origin, outcome: .refused, detail: "logout token")
            let status: HTTPResponse.Status = error.kind == .unreachable ? .serviceUnavailable : .badRequest
            return try .json(
                ["error": "invalid_request", "error_description": "The logout token is not accepted."], status: status)
        } catch {
            throw .ofChange(error)
        }
    }
}
