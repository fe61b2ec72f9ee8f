import HTTPTypes
import Hummingbird
import WeirAccess
import WeirBoards
import WeirJournals
import WeirPages
import WeirStates

extension AccountResponder {
    func account(_ visit: Visit, error: Message? = nil, status: HTTPResponse.Status = .ok) -> Response {
        let principal = visit.authorization.principal
        var facts = AccountFacts(name: principal.name, kind: principal.kind.rawValue)
        facts.groups = principal.groups.sorted()
        facts.verbs = verbs(visit)
        facts.canSignIn = accounts.canSignIn && visit.authorization.isAnonymous
        (facts.hasPassword, facts.error) = (hasPassword(visit), error)
        facts.hasSecondFactor = facts.hasPassword && directory.secondFactor(ofUser: principal.identity) != nil
        let permissions = visit.authorization.permissions
        if [.person, .operator].contains(principal.kind), permissions.allowsAnywhere(.see) {
            facts.links.append("tokens")
            if accounts.canSignIn { facts.links.append("sessions") }
            if accounts.asksWho { facts.links.append("links") }
        }
        if permissions.allowsEverywhere(.administer) {
            if accounts.asksWho { facts.links.append("users") }
            facts.links.append("audit")
        }
        return page(.account(facts), visit, status: status)
    }

    func facts(_ visit: Visit) -> JSONValue {
        let principal = visit.authorization.principal
        return [
            "name": .string(principal.name), "kind": .string(principal.kind.rawValue),
            "groups": .array(principal.groups.sorted().map(JSONValue.string)),
            "may": .array(verbs(visit).map(JSONValue.string)),
            "audience": .string(visit.authorization.audience.label),
        ]
    }

    private func verbs(_ visit: Visit) -> [String] {
        Verb.allCases.filter { visit.authorization.permissions.allowsAnywhere($0) }.map(\.rawValue)
    }

    func users(_ visit: Visit) async throws(Problem) -> Response {
        guard accounts.asksWho else { throw .noSuchPage }
        guard visit.isPost else { return page(.users(list(visit)), visit) }
        if case .userEnding(let id) = visit.route {
            try await change {
                _ = try await directory.endAccess(of: id, by: visit.authorization.principal, from: visit.origin)
            }
            return .seeOther(dashboard.mount.url("users"))
        }
        guard directory.configuration.mode == .password else { throw .noSuchPage }
        let sent = try await form(visit)
        do {
            let receiver = try receiver(sent["mail"])
            guard let link = try await change(visit, sent, receiver) else {
                return .seeOther(dashboard.mount.url("users"))
            }
            var list = list(visit)
            let (url, fault) = await handOver(link, to: receiver, visit)
            list.link = (
                name: link.name, url: url, expires: Timestamp(milliseconds: link.expiresAt),
                mail: receiver?.description, fault: fault
            )
            return page(.users(list), visit, status: .created)
        } catch let error as AccessError {
            var list = list(visit)
            list.error = error.message
            list.name = sent["name"] ?? ""
            return page(.users(list), visit, status: Problem(error).status)
        } catch {
            throw .internalError
        }
    }

    /// Performs the change that a form requests; returns the new password link, or nil.
    private func change(
        _ visit: Visit, _ sent: FormFields, _ receiver: MailAddress?
    ) async throws -> MadePasswordLink? {
        let (who, origin, mail) = (visit.authorization.principal, visit.origin, receiver?.description)
        let (name, mustChange) = (sent["name"] ?? "", sent["change"] == "yes")
        switch visit.route {
        case .users:
            try await directory.addUser(
                name, password: try secret(sent["password"], visit), roles: [try Self.role(in: sent)],
                mustChange: mustChange, by: who, from: origin)
        case .userInvitation:
            return try await directory.invite(
                name, roles: [try Self.role(in: sent)], hours: Int(sent["hours"] ?? "") ?? 0, mail: mail, by: who,
                from: origin)
        case .userLink(let user):
            return try await directory.makePasswordLink(
                of: user, hours: Int(sent["hours"] ?? "") ?? 0, mail: mail, by: who, from: origin)
        case .userLinkRevocation(let user): try await directory.revokePasswordLink(of: user, by: who, from: origin)
        case .userPasswordChange(let user):
            try await directory.requirePasswordChange(mustChange, of: user, by: who, from: origin)
        case .userSecondFactor(let user): try await directory.removeSecondFactor(of: user, by: who, from: origin)
        case .userRoles(let user):
            let known = sent["was"] ?? ""
            try await directory.changeRole(
                known.isEmpty ? nil : known, to: sent["remove"] == "yes" ? nil : try Self.role(in: sent), of: user,
                by: who, from: origin)
        case .userPassword(let user):
            try await directory.setPassword(
                try secret(sent["password"], visit), of: user, mustChange: mustChange, by: who, from: origin)
        case .userRemoval(let user): try await directory.removeUser(user, by: who, from: origin)
        default: break
        }
        return nil
    }

    /// Returns the password if the connection is trusted with passwords.
    private func secret(_ password: String?, _ visit: Visit) throws(AccessError) -> String {
        guard directory.takesPasswords(from: visit.peer) else {
            throw AccessError(.wrong, Problem.plainConnection.message)
        }
        return password ?? ""
    }

    private func list(_ visit: Visit) -> UserList {
        var list = UserList(
            rows: directory.users.map { user in
                (
                    name: user.name, roles: user.roles.map(Self.row), created: Timestamp(milliseconds: user.createdAt),
                    mustChange: directory.mustChangePassword(user),
                    hasSecondFactor: directory.secondFactor(of: user) != nil,
                    linkEnd: directory.passwordLinkEnd(of: user).map { Timestamp(milliseconds: $0) }
                )
            }, roles: roles)
        list.hasPasswords = directory.configuration.mode == .password
        let rules = directory.control.rules
        list.known = rules.listedRoles.map { ($0.name, $0.verbs.joined(separator: ", ") + $0.selection) }
        list.grants = rules.listedGrants.map { ($0.role, $0.to.joined(separator: ", ")) }
        list.sendsMail = accounts.mailer != nil
        list.people = directory.people.prefix(Self.shown).map(row)
        return list
    }

    private static func row(_ role: StoredAssignment) -> UserList.Role {
        let lists = [role.operations, role.stores, role.tags]
        return (
            words: role.words, role: role.role, isNarrowed: lists.contains { $0 != nil },
            operations: (role.operations ?? []).joined(separator: " "),
            stores: (role.stores ?? []).joined(separator: " "), tags: (role.tags ?? []).joined(separator: " ")
        )
    }

    /// The role that a form states.
    ///
    /// Throws if a field is missing or contradicts another: the role would be for more than was meant.
    private static func role(in sent: FormFields) throws(AccessError) -> StoredAssignment {
        let lists = ["operations", "stores", "tags"].map { key in
            sent[key]?.split { $0 == "," || $0.isWhitespace }.map(String.init)
        }
        let isNarrowed = lists.contains { $0?.isEmpty == false }
        guard let role = sent["role"], !lists.contains(nil), sent["scope"] == (isNarrowed ? "only" : "all") else {
            throw AccessError(.invalid, .roleScope)
        }
        let named = lists.map { $0?.isEmpty == false ? $0 : nil }
        return StoredAssignment(role: role, operations: named[0], stores: named[1], tags: named[2])
    }

    // MARK: For programs

    func apiUsers(_ visit: Visit) async throws(Problem) -> Response {
        guard directory.configuration.mode == .password || (visit.route == .apiGrants && accounts.asksWho) else {
            throw .noSuchPage
        }
        let (who, origin) = (visit.authorization.principal, visit.origin)
        switch visit.route {
        case .apiUsers where visit.isPost:
            let sent = try await json(visit)
            try await change {
                try Self.check(sent, has: ["name", "password", "roles", "mustChange"])
                try await directory.addUser(
                    sent["name"]?.string ?? "", password: try secret(sent["password"]?.string, visit),
                    roles: try Self.roles(in: sent), mustChange: try Self.flag("mustChange", in: sent) ?? false,
                    by: who, from: origin)
            }
            return Response(status: .created)
        case .apiUser(let name):
            try await change { try await directory.removeUser(name, by: who, from: origin) }
            return Response(status: .noContent)
        case .apiUserRoles(let name) where visit.isPost:
            let sent = try await json(visit)
            try await change {
                let roles = try Self.roles(in: ["roles": [sent]])
                for role in roles { try await directory.changeRole(nil, to: role, of: name, by: who, from: origin) }
            }
            return Response(status: .noContent)
        case .apiGrants:
            let rules = directory.control.rules
            return try .json([
                "roles": .array(
                    rules.listedRoles.map { role in
                        [
                            "name": .string(role.name), "may": .array(role.verbs.map(JSONValue.string)),
                            "on": .string(role.selection.trimmingPrefix(" ").description),
                        ]
                    }),
                "grants": .array(
                    rules.listedGrants.map { grant in
                        ["role": .string(grant.role), "to": .array(grant.to.map(JSONValue.string))]
                    }),
            ])
        case .apiUserRoles(let name):
            let sent = try await json(visit)
            try await change {
                try Self.check(sent, has: ["roles"])
                try await directory.setRoles(try Self.roles(in: sent), of: name, by: who, from: origin)
            }
            return Response(status: .noContent)
        case .apiUserPassword(let name):
            let sent = try await json(visit)
            try await change {
                try Self.check(sent, has: ["password", "mustChange"])
                try await directory.setPassword(
                    try secret(sent["password"]?.string, visit), of: name,
                    mustChange: try Self.flag("mustChange", in: sent) ?? false, by: who, from: origin)
            }
            return Response(status: .noContent)
        case .apiUserPasswordChange(let name):
            let sent = try await json(visit)
            try await change {
                try Self.check(sent, has: ["required"])
                guard let isRequired = try Self.flag("required", in: sent) else {
                    throw AccessError(.invalid, #"Send {"required": true} or {"required": false}."#)
                }
                try await directory.requirePasswordChange(isRequired, of: name, by: who, from: origin)
            }
            return Response(status: .noContent)
        case .apiUserSecondFactor(let name):
            try await change { try await directory.removeSecondFactor(of: name, by: who, from: origin) }
            return Response(status: .noContent)
        case .apiUserInvitation(let name):
            return try await apiLink(visit, has: ["roles", "hours", "mail"]) { sent, hours, mail in
                try await directory.invite(
                    name, roles: try Self.roles(in: sent), hours: hours, mail: mail, by: who, from: origin)
            }
        case .apiUserLink(let name) where visit.isPost:
            return try await apiLink(visit, has: ["hours", "mail"]) { _, hours, mail in
                try await directory.makePasswordLink(of: name, hours: hours, mail: mail, by: who, from: origin)
            }
        case .apiUserLink(let name):
            try await change { try await directory.revokePasswordLink(of: name, by: who, from: origin) }
            return Response(status: .noContent)
        default:
            let users = directory.users.map { user -> JSONValue in
                var members: [String: JSONValue] = [
                    "name": .string(user.name), "roles": .array(user.roles.map(Self.json)),
                    "created": .string(Timestamp(milliseconds: user.createdAt).description),
                    "mustChange": .bool(directory.mustChangePassword(user)),
                    "secondFactor": .bool(directory.secondFactor(of: user) != nil),
                ]
                members["passwordLinkExpires"] = directory.passwordLinkEnd(of: user).map {
                    .string(Timestamp(milliseconds: $0).description)
                }
                return .object(members)
            }
            return try .json(["users": .array(users)])
        }
    }

    /// Parses roles of the form `{"roles": [{"role": "operator", "operations": ["backup*"]}]}`.
    static func roles(in sent: JSONValue) throws(AccessError) -> [StoredAssignment] {
        guard let roles = sent["roles"]?.array else {
            throw AccessError(.invalid, #"Send the roles as {"roles": [{"role": "operator"}]}."#)
        }
        var assignments: [StoredAssignment] = []
        for role in roles {
            guard let members = role.object, let name = members["role"]?.string else {
                throw AccessError(.invalid, #"Each role needs a name: {"role": "operator"}."#)
            }
            // A misspelled member would otherwise be ignored, and the role would apply to everything.
            try Self.check(role, has: ["role", "operations", "stores", "tags"])
            func texts(_ key: String) throws(AccessError) -> [String]? {
                guard let value = members[key] else { return nil }
                let texts = value.array?.compactMap(\.string)
                guard let texts, texts.count == value.array?.count else {
                    throw AccessError(.invalid, #"Send \#(key) as a list of texts: "\#(key)": ["backup*"]."#)
                }
                return texts
            }
            assignments.append(
                StoredAssignment(
                    role: name, operations: try texts("operations"), stores: try texts("stores"),
                    tags: try texts("tags")))
        }
        return assignments
    }

    /// An optional flag; throws for a value of another kind, which would otherwise be ignored.
    private static func flag(_ key: String, in sent: JSONValue) throws(AccessError) -> Bool? {
        guard let value = sent[key] else { return nil }
        guard let flag = value.bool else { throw AccessError(.invalid, "Send \(key) as true or false.") }
        return flag
    }

    /// Refuses unknown members, which would otherwise be ignored silently.
    static func check(_ sent: JSONValue, has known: [String]) throws(AccessError) {
        guard let other = sent.object?.keys.sorted().first(where: { !known.contains($0) }) else { return }
        throw AccessError(
            .invalid, "“\(other.prefix(64))” is not known here. Send \(known.joined(separator: ", ")).")
    }

    static func json(_ role: StoredAssignment) -> JSONValue {
        var members: [String: JSONValue] = ["role": .string(role.role)]
        members["operations"] = role.operations.map { .array($0.map(JSONValue.string)) }
        members["stores"] = role.stores.map { .array($0.map(JSONValue.string)) }
        members["tags"] = role.tags.map { .array($0.map(JSONValue.string)) }
        return .object(members)
    }
}
