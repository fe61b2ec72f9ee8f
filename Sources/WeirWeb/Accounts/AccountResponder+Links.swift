import HTTPTypes
import Hummingbird
import WeirAccess
import WeirBoards
import WeirJournals
import WeirPages
import WeirStates

extension AccountResponder {
    /// Opens a link: sets its cookie and redirects to its run.
    ///
    /// A signed-in user stays signed in, and needs their own right to see the run.
    func openLink(_ text: String, _ visit: Visit) async throws(Problem) -> Response {
        guard let authorization = directory.authorization(ofLink: text), let run = authorization.principal.run,
            let link = SecretText(text, kind: .link)
        else {
            directory.audit.record(.openLink, by: .anonymous, from: visit.origin, outcome: .refused)
            throw .noSuchLink
        }
        var response = Response.seeOther(dashboard.mount.url("runs/\(run)"))
        guard [.anonymous, .link].contains(visit.authorization.principal.kind) else {
            guard try await maySee(run, visit) else { throw .linkForAnother(visit.authorization.principal.name) }
            return response
        }
        directory.audit.record(
            .openLink, by: authorization.principal, from: visit.origin, subject: "run:\(run)")
        response.headers[values: .setCookie] = [directory.cookie.linkField(link)]
        return response
    }

    func links(to run: String, _ visit: Visit) async throws(Problem) -> Response {
        let operation = try await operation(of: run, visit)
        guard visit.isPost else { return page(.links(list(run, visit)), visit) }
        let sent = try await form(visit)
        var list: LinkList
        do {
            let link = try await createLink(to: run, of: operation, hours: Int(sent["hours"] ?? ""), visit).link
            list = self.list(run, visit)
            list.address = address(of: link, visit)
            return page(.links(list), visit, status: .created)
        } catch let error as AccessError {
            list = self.list(run, visit)
            list.error = error.message
            return page(.links(list), visit, status: Problem(error).status)
        } catch {
            throw .internalError
        }
    }

    func apiLinks(to run: String, _ visit: Visit) async throws(Problem) -> Response {
        let operation = try await operation(of: run, visit)
        guard visit.isPost else {
            return try .json(["links": .array(directory.links(to: run).map { json($0) })])
        }
        let sent = try await json(visit)
        let hours = sent["hours"]?.integer.flatMap { Int(exactly: $0) }
        let made = try await change {
            try Self.check(sent, has: ["hours"])
            return try await createLink(to: run, of: operation, hours: hours, visit)
        }
        return try .json(
            [
                "id": .string(made.record.id), "url": .string(address(of: made.link, visit)),
                "expires": .string(Timestamp(milliseconds: made.record.expiresAt).description),
            ], status: .created)
    }

    /// Revokes the sender's own link, or any link for an administrator.
    func revoke(_ link: String, to run: String, _ visit: Visit) async throws {
        try await directory.revokeLink(
            link, to: run, by: visit.authorization.principal,
            anybody: visit.authorization.permissions.allowsEverywhere(.administer), from: visit.origin)
    }

    /// Whether the sender has the right that the route requires on its run; throws if the run is not visible.
    func isAdmitted(_ visit: Visit) async throws(Problem) -> Bool {
        guard accounts.asksWho else { throw .noSuchPage }
        let seen = try await seen(visit)
        do {
            _ = try await seen.admit(visit.route.requirement, isAnonymous: visit.authorization.isAnonymous)
        } catch {
            guard [.unauthorized, .forbidden].contains(error.status) else { throw error }
            return false
        }
        return true
    }

    private func seen(_ visit: Visit) async throws(Problem) -> AudienceDashboard {
        let admission = Admission(authorization: visit.authorization, check: check)
        do { return try await dashboard.audiences.dashboard(for: admission.key) } catch { throw Problem(error) }
    }

    private func operation(of run: String, _ visit: Visit) async throws(Problem) -> String {
        let board = try await seen(visit).board
        do { return try await board.run(run).record.operation } catch { throw Problem(error) }
    }

    private func maySee(_ run: String, _ visit: Visit) async throws(Problem) -> Bool {
        do {
            _ = try await operation(of: run, visit)
            return true
        } catch {
            guard error.status == .notFound else { throw error }
            return false
        }
    }

    private func createLink(
        to run: String, of operation: String, hours: Int?, _ visit: Visit
    ) async throws -> (link: SecretText, record: LinkRecord) {
        guard let hours else { throw AccessError(.invalid, .linkHoursMissing) }
        return try await directory.createLink(
            to: run, of: operation, hours: hours, by: visit.authorization.principal, from: visit.origin)
    }

    /// The link's full URL, with the configured public URL or else the request's host.
    private func address(of link: SecretText, _ visit: Visit) -> String {
        accounts.address(host: visit.request.head.authority) + dashboard.mount.url("links/\(link.text)")
    }

    private func list(_ run: String, _ visit: Visit) -> LinkList {
        let principal = visit.authorization.principal
        let mayRevokeAll = visit.authorization.permissions.allowsEverywhere(.administer)
        return LinkList(
            run: run,
            rows: directory.links(to: run).map { link in
                (
                    id: link.id, maker: link.maker?.name, created: Timestamp(milliseconds: link.createdAt),
                    expires: Timestamp(milliseconds: link.expiresAt),
                    mayRevoke: mayRevokeAll || directory.isMaker(principal, link.maker)
                )
            })
    }

    private func json(_ link: LinkRecord) -> JSONValue {
        var members: [String: JSONValue] = [
            "id": .string(link.id), "created": .string(Timestamp(milliseconds: link.createdAt).description),
            "expires": .string(Timestamp(milliseconds: link.expiresAt).description),
        ]
        members["maker"] = link.maker.map { .string($0.name) }
        return .object(members)
    }
}

extension Problem {
    fileprivate static let noSuchLink = Problem(
        "not-found", .notFound, "No such link",
        .noSuchLink)

    fileprivate static func linkForAnother(_ name: String) -> Problem {
        Problem(
            "forbidden", .forbidden, "Signed in",
            .linkForAnother, ["name": .text(name)])
    }
}
