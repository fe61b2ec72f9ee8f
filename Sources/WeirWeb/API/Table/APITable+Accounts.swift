import HTTPTypes
import WeirAccess

extension APIResource {
    /// The resources that `AccountResponder` answers if senders are authenticated; otherwise they do not exist.
    static let accounts: [APIResource] = [
        account(
            "account", .nothing,
            .get(
                "getAccount", "Returns the caller and its rights.",
                answers: .json(
                    200,
                    .object([
                        "name": .text, "kind": .text, "groups": .list(.text), "may": .list(.text), "audience": .text,
                    ]), "The caller; audience changes with its rights."))),
        account(
            "account/password", .nothing,
            .change(
                .put, "changeOwnPassword", "Changes the caller's own password, and ends the other sessions.",
                body: .json(.object(["current": .text, "password": .text])),
                answers: .empty(204, "The password is changed; Set-Cookie has the new session."))),
        account(
            "users", .everything(.administer),
            .get(
                "listUsers", "Lists the users who sign in with a password.",
                answers: .json(
                    200,
                    .object([
                        "users": .list(
                            .object(
                                [
                                    "name": .text, "roles": .list(.ref("Role")), "created": .time, "mustChange": .flag,
                                    "secondFactor": .flag,
                                ],
                                optional: ["passwordLinkExpires": .time]))
                    ]), "The users.")),
            .change(
                .post, "addUser", "Adds a user.",
                body: .json(
                    .object(
                        ["name": .text, "password": .text, "roles": .list(.ref("Role"))],
                        optional: ["mustChange": .flag])),
                problems: [409], answers: .empty(201, "The user exists."))),
        account(
            "users/{name}", .everything(.administer),
            .change(
                .delete, "removeUser", "Removes a user.", problems: [409], answers: .empty(204, "The user is removed."))
        ),
        account(
            "users/{name}/roles", .everything(.administer),
            .change(
                .put, "setRoles", "Replaces the roles of a user.",
                body: .json(.object(["roles": .list(.ref("Role"))])), problems: [409],
                answers: .empty(204, "The roles are replaced.")),
            .change(
                .post, "addRole", "Gives a user one more role.", body: .json(.ref("Role")), problems: [409],
                answers: .empty(204, "The user has the role."))),
        account(
            "grants", .everything(.administer),
            .get(
                "listGrants", "Lists the roles, and the grants of the settings.",
                answers: .json(
                    200,
                    .object([
                        "roles": .list(.object(["name": .text, "may": .list(.text), "on": .text])),
                        "grants": .list(.object(["role": .text, "to": .list(.text)])),
                    ]), "The roles, and what the settings grant to whom."))),
        account(
            "users/{name}/password", .everything(.administer),
            .change(
                .put, "setPassword", "Replaces the password of a user.",
                body: .json(.object(["password": .text], optional: ["mustChange": .flag])),
                problems: [409], answers: .empty(204, "The password is replaced."))),
        account(
            "users/{name}/invitation", .everything(.administer),
            .change(
                .post, "inviteUser", "Adds a user without a password, and makes the link to set the first one.",
                body: .json(
                    .object(
                        ["roles": .list(.ref("Role"))], optional: ["hours": .whole(1...720), "mail": .text])),
                problems: [409], answers: .json(201, .ref("PasswordLink"), Self.passwordLink))),
        account(
            "users/{name}/password-link", .everything(.administer),
            .change(
                .post, "makePasswordLink", "Makes a link with which a user sets a new password.",
                body: .json(.object([:], optional: ["hours": .whole(1...720), "mail": .text])),
                answers: .json(201, .ref("PasswordLink"), Self.passwordLink)),
            .change(
                .delete, "revokePasswordLink", "Ends the link to set a user's password.",
                answers: .empty(204, "There is no link."))),
        account(
            "users/{name}/password-change", .everything(.administer),
            .change(
                .put, "requirePasswordChange", "Requires that a user changes the password first, or withdraws this.",
                body: .json(.object(["required": .flag])), answers: .empty(204, "It is as sent."))),
        account(
            "users/{name}/second-factor", .everything(.administer),
            .change(
                .delete, "removeSecondFactor", "Removes the second factor of a user.",
                answers: .empty(204, "The user has none."))),
        account(
            "tokens", .anything(.see),
            .get(
                "listTokens", "Lists the caller's tokens, or all for an administrator.",
                answers: .json(200, .object(["tokens": .list(.ref("Token"))]), "The tokens.")),
            .change(
                .post, "createToken", "Creates a token.",
                body: .json(
                    .object(
                        ["name": .text, "roles": .list(.ref("Role"))], optional: ["days": .whole(1...3_650).orNull])),
                problems: [409],
                answers: .json(
                    201, .object(["token": .text, "id": .text]), "The token, which no later response contains."))),
        account(
            "tokens/{id}", .anything(.see),
            .change(.delete, "revokeToken", "Revokes a token.", answers: .empty(204, "The token is revoked."))),
        account(
            "audit", .everything(.administer),
            .get(
                "listAudit", "Lists 100 entries of the audit, newest first.",
                .query("principal", .text, "The name of the principal."),
                .query("subject", .text, "The subject, such as run:ID."),
                .query("action", .oneOf(AuditAction.allCases.map(\.rawValue) + [""]), "The action."),
                .query("outcome", .oneOf(AuditEntry.Outcome.allCases.map(\.rawValue) + [""]), "The outcome."),
                .query("before", .whole(from: 1, to: Int64.max), "The before of the previous answer."),
                answers: .json(
                    200,
                    .object(
                        ["entries": .list(.members), "head": .text], optional: ["before": .whole, "server": .text]),
                    "The entries."))),
        account(
            "people", .everything(.administer),
            .get(
                "listPeople", "Lists everyone, with what acts in their name.",
                answers: .json(200, .object(["people": .list(.ref("Person"))]), "The people."))),
        account(
            "people/{id}", .everything(.administer),
            .change(
                .delete, "endAccess", "Ends the sessions, tokens and links of a person.",
                answers: .json(
                    200, .object(["sessions": .whole, "tokens": .whole, "links": .whole]), "How many have ended."))),
        account(
            "sessions", .anything(.see),
            .get(
                "listSessions", "Lists the caller's sessions, or all for an administrator.",
                answers: .json(200, .object(["sessions": .list(.ref("Session"))]), "The sessions."))),
        account(
            "sessions/{id}", .anything(.see),
            .change(.delete, "endSession", "Ends a session.", answers: .empty(204, "The session has ended."))),
        account(
            "links", .anything(.see),
            .get(
                "listLinks", "Lists the links that the caller made, or all for an administrator.",
                answers: .json(200, .object(["links": .list(.ref("Link"))]), "The links."))),
        account(
            "links/{id}", .anything(.see),
            .change(.delete, "revokeLink", "Revokes a link.", answers: .empty(204, "The link is revoked."))),
        account(
            "runs/{run}/links", .run(.export),
            .get(
                "listLinksToRun", "Lists the links to a run.", problems: [410],
                answers: .json(200, .object(["links": .list(.ref("LinkToRun"))]), "The links.")),
            .change(
                .post, "createLink", "Creates a link to a run.",
                body: .json(.object(["hours": .whole(1...8_760)])), problems: [409, 410],
                answers: .json(
                    201, .object(["id": .text, "url": .text, "expires": .time]),
                    "The link, whose url no later response contains."))),
        account(
            "runs/{run}/links/{id}", .run(.export),
            .change(
                .delete, "revokeLinkToRun", "Revokes a link to a run.", problems: [410],
                answers: .empty(204, "The link is revoked."))),
    ]

    private static let passwordLink = "The link, whose url no later response contains."

    private static func account(_ path: String, _ right: Right, _ methods: APIMethod...) -> APIResource {
        APIResource(path, right, methods) { (_, _, _) async throws(Problem) in throw .noSuchPage }
    }
}

extension APISchema {
    static let namedOfAccounts: [String: APISchema] = [
        "Role": .object(
            ["role": .text],
            optional: ["operations": .list(.text), "stores": .list(.text), "tags": .list(.text)]),
        "Token": .object(
            ["id": .text, "name": .text, "roles": .list(.ref("Role")), "created": .time],
            optional: ["maker": .text, "expires": .time, "usedOn": .text]),
        "PasswordLink": .object(
            ["name": .text, "url": .text, "expires": .time, "mailed": .flag], optional: ["mailProblem": .text]),
        "Person": .object(
            [
                "id": .text, "name": .text, "identity": .text, "groups": .list(.text), "roles": .list(.ref("Role")),
                "sessions": .list(.text), "tokens": .list(.text), "links": .list(.text),
            ], optional: ["seen": .time, "leaseEnd": .time]),
        "Session": .object([
            "id": .text, "person": .text, "name": .text, "begun": .time, "used": .time, "address": .text.orNull,
        ]),
        "Link": .object([
            "id": .text, "run": .text, "operation": .text, "maker": .text.orNull, "expires": .time,
        ]),
        "LinkToRun": .object(["id": .text, "created": .time, "expires": .time], optional: ["maker": .text]),
    ]
}
