import WeirAccess
import WeirStates

extension PageWriter {
    func accountPage(_ page: AccountPage) -> (template: String, fields: Fields, title: String) {
        switch page {
        case .signIn(let form): ("pages/sign-in", signIn(form), word("sign-in"))
        case .signInCode(let form): ("pages/sign-in-code", signInCode(form), word("second-factor"))
        case .secondFactor(let form): ("pages/second-factor", secondFactor(form), word("second-factor"))
        case .setUp(let form):
            (
                "pages/set-up",
                ["action": "\(base)/setup", "name": form.name, "error": form.error.map { strings($0) }], word("set-up")
            )
        case .account(let facts): ("pages/account", account(facts), facts.name)
        case .newPassword(let form): ("pages/new-password", newPassword(form), word("new-password"))
        case .users(let list): ("pages/users", users(list), word("users"))
        case .tokens(let list): ("pages/tokens", tokens(list), word("tokens"))
        case .links(let list): ("pages/links", links(list), word("links"))
        case .sessions(let rows): ("pages/sessions", ["rows": rows.map(session)], word("sessions"))
        case .allLinks(let rows): ("pages/all-links", ["rows": rows.map(link)], word("links"))
        case .audit(let list): ("pages/audit", audit(list), word("audit"))
        }
    }

    /// The account in the header with its sign-out URL, or the link to the sign-in page.
    func accountLink(_ account: PageAccount) -> Fields {
        [
            "name": account.name ?? word("sign-in"),
            "url": account.name == nil ? "\(base)/sign-in" : "\(base)/account",
            "signOutURL": account.canSignOut ? "\(base)/sign-out" : nil,
            "rightsURL": "\(base)/api/v1/account", "audience": account.audience,
        ]
    }

    /// The string of an `account.` key.
    ///
    /// A test verifies that the tables define every key used here.
    private func word(_ key: String) -> String { strings.optional("account.\(key)") ?? key }

    private func word(_ key: String, _ name: String, _ value: String) -> String {
        word(key).filled { $0 == name ? value : nil }
    }

    private func kind(_ kind: String) -> String {
        switch kind {
        case "person": word("kind-person")
        case "token": word("kind-token")
        case "operator": word("kind-operator")
        case "system": word("kind-system")
        case "link": word("kind-link")
        default: word("kind-anonymous")
        }
    }

    private func outcome(_ outcome: String) -> String {
        switch outcome {
        case "done": word("outcome-done")
        case "refused": word("outcome-refused")
        default: word("outcome-failed")
        }
    }

    private func signIn(_ form: SignInForm) -> Fields {
        let back = form.back.isEmpty ? "" : "?" + URLText.query("back", form.back)
        return [
            "lead": form.refused.map { word("no-right", "name", $0) }
                ?? word(form.isSignedOut ? "signed-out" : "sign-in-lead"),
            "error": form.mistake.map(sentence), "signOutURL": form.signOutURL,
            "takesPassword": form.takesPassword, "action": "\(base)/sign-in", "back": form.back, "name": form.name,
            "providerURL": form.hasProvider ? "\(base)/sign-in/provider\(back)" : nil,
        ]
    }

    private func sentence(_ mistake: SignInForm.Mistake) -> String {
        switch mistake {
        case .wrong: word("wrong")
        case .busy: word("busy")
        case .plain: word("plain")
        case .expired: word("code-expired")
        case .provider(let kind): provider(kind)
        case .tooMany(let seconds): word("too-many", "seconds", format.integer(seconds))
        }
    }

    private func signInCode(_ form: SignInCodeForm) -> Fields {
        let error: String? =
            if form.mistake == .wrong {
                strings(Message(AccessWording.wrongSecondFactor))
            } else {
                form.mistake.map(sentence)
            }
        return [
            "action": "\(base)/sign-in/code", "back": form.back, "error": error, "signInURL": "\(base)/sign-in",
        ]
    }

    private func secondFactor(_ form: SecondFactorForm) -> Fields {
        [
            "lead": word(form.isDemanded ? "second-factor-demanded" : "second-factor-lead"),
            "action": "\(base)/account/second-factor", "back": form.back, "error": form.error.map { strings($0) },
            "offer": form.offer.map { ["secret": $0.secret, "uri": $0.uri, "sealed": $0.sealed] as Fields },
            "inForce": form.since.map {
                [
                    "since": moment($0), "left": word("codes-left", "count", format.integer(Int64(form.left))),
                ] as Fields
            },
            "fresh": form.codes.isEmpty
                ? nil
                : [
                    "codes": form.codes.map { ["code": $0] as Fields },
                    "backURL": form.back.isEmpty ? "\(base)/account" : form.back,
                ] as Fields,
        ]
    }

    private func provider(_ kind: IdentityProviderError.Kind) -> String {
        switch kind {
        case .unreachable: word("provider-unreachable")
        case .busy: word("busy")
        case .issuer: word("provider-issuer")
        case .client: word("provider-client")
        case .redirect: word("provider-redirect")
        case .clock: word("provider-clock")
        case .denied: word("provider-denied")
        case .stale: word("provider-stale")
        case .groups: word("provider-groups")
        case .failed: word("provider-failed")
        }
    }

    private func account(_ facts: AccountFacts) -> Fields {
        let lead =
            switch facts.kind {
            case "token", "link": "lead-token"
            case "operator", "system": "lead-operator"
            case "anonymous": "lead-anonymous"
            default: "lead-person"
            }
        return [
            "name": facts.name, "lead": word(lead), "kind": kind(facts.kind),
            "groups": facts.groups.isEmpty ? nil : facts.groups.joined(separator: ", "),
            "verbs": facts.verbs.isEmpty ? nil : facts.verbs.joined(separator: ", "),
            "signInURL": facts.canSignIn ? "\(base)/sign-in" : nil, "error": facts.error.map { strings($0) },
            "passwordURL": facts.hasPassword ? "\(base)/account/password" : nil,
            "secondFactorURL": "\(base)/account/second-factor",
            "secondFactor": word(facts.hasSecondFactor ? "second-factor-on" : "second-factor-off"),
            "links": facts.links.map { ["url": "\(base)/\($0)", "word": word($0)] as Fields },
        ]
    }

    private func newPassword(_ form: NewPasswordForm) -> Fields {
        let lead =
            form.asksCurrent
            ? form.isDemanded ? "password-demanded" : "change-password-lead" : "password-link-lead"
        return [
            "lead": word(lead), "name": form.name, "action": form.action, "asksCurrent": form.asksCurrent,
            "back": form.back, "error": form.error.map { strings($0) },
        ]
    }

    private func madeLink(_ link: UserList.Link) -> Fields {
        [
            "name": link.name, "url": link.url, "expires": moment(link.expires),
            "mailed": link.fault == nil ? link.mail.map { word("mailed", "address", $0) } : nil,
            "fault": link.fault.map { word("not-mailed", "reason", $0) },
        ]
    }

    private func users(_ list: UserList) -> Fields {
        [
            "link": list.link.map(madeLink), "sendsMail": list.sendsMail,
            "action": "\(base)/users", "name": list.name, "error": list.error.map { strings($0) },
            "hasPasswords": list.hasPasswords,
            "people": list.people.map(person), "sessionsURL": "\(base)/sessions", "linksURL": "\(base)/links",
            "known": list.known.map { ["role": $0.role, "may": $0.may] as Fields },
            "grants": list.grants.map { ["role": $0.role, "to": $0.to] as Fields },
            "added": role(("", "viewer", false, "", "", ""), "add-user", list.roles),
            "invited": role(("", "viewer", false, "", "", ""), "invite-user", list.roles),
            "rows": list.rows.enumerated().map { index, row -> Fields in
                [
                    "name": row.name, "roles": row.roles.map { $0.words }.joined(separator: ", "),
                    "created": moment(row.created), "rowID": "user-\(index)",
                    "given": row.roles.enumerated().map { role($1, "user-\(index)-\($0)", list.roles) },
                    "another": role(("", "viewer", false, "", "", ""), "user-\(index)-new", list.roles),
                    "mustChange": row.mustChange, "hasSecondFactor": row.hasSecondFactor,
                    "linkEnd": row.linkEnd.map(moment),
                    "url": "\(base)/users/\(row.name)",
                ]
            },
        ]
    }

    /// The fields of a form for a role; `id` begins the ids of its elements.
    private func role(_ role: UserList.Role, _ id: String, _ roles: [String]) -> Fields {
        [
            "was": role.words, "fieldID": id, "choices": choices(roles, role.role), "isNarrowed": role.isNarrowed,
            "operations": role.operations, "stores": role.stores, "tags": role.tags,
        ]
    }

    private func tokens(_ list: TokenList) -> Fields {
        [
            "action": "\(base)/tokens", "name": list.name, "operations": list.operations,
            "error": list.error.map { strings($0) },
            "secret": list.secret, "choices": choices(list.roles, "operator"),
            "rows": list.rows.map { row -> Fields in
                [
                    "id": row.id, "name": row.name, "roles": row.roles, "maker": row.maker ?? word("command-line"),
                    "expires": row.expires.map(moment), "used": row.used ?? "–",
                    "url": "\(base)/tokens/\(row.id)/revocation",
                ]
            },
        ]
    }

    private func links(_ list: LinkList) -> Fields {
        let run = "\(base)/runs/\(list.run)"
        return [
            "run": String(list.run.suffix(6)), "runURL": run, "action": "\(run)/links",
            "error": list.error.map { strings($0) },
            "address": list.address,
            "rows": list.rows.map { row -> Fields in
                [
                    "id": row.id, "maker": row.maker ?? word("command-line"), "created": moment(row.created),
                    "expires": moment(row.expires),
                    "url": row.mayRevoke ? "\(run)/links/\(row.id)/revocation" : nil,
                ]
            },
        ]
    }

    private func audit(_ list: AuditList) -> Fields {
        let query = [
            ("principal", list.principal), ("action", list.action), ("outcome", list.outcome),
            ("subject", list.subject),
        ].filter { !$0.1.isEmpty }.map { URLText.query($0.0, $0.1) }
        return [
            "action": "\(base)/audit", "principal": list.principal, "subject": list.subject, "head": list.head,
            "server": list.server,
            "actions": list.actions.map {
                ["value": $0, "label": $0, "isChosen": $0 == list.action] as Fields
            },
            "outcomes": list.outcomes.map {
                ["value": $0, "label": outcome($0), "isChosen": $0 == list.outcome] as Fields
            },
            "rows": list.rows.map(entry), "exportURL": "\(base)/audit/export",
            "olderURL": list.older.map {
                "\(base)/audit?" + (query + ["before=\($0)"]).joined(separator: "&")
            },
        ]
    }

    private func entry(_ row: AuditList.Row) -> Fields {
        let look: (tone: String, glyph: String) =
            switch row.outcome {
            case "done": ("ok", "✓")
            case "refused": ("warn", "⚠")
            default: ("bad", "✕")
            }
        return [
            "number": format.integer(row.number), "at": moment(row.at), "name": row.name, "action": row.action,
            "subject": row.subject, "outcome": outcome(row.outcome), "tone": look.tone, "glyph": look.glyph,
            "times": row.count == 1 ? nil : word("times", "count", format.integer(row.count)), "address": row.address,
            "detail": row.detail,
        ]
    }

    private func person(_ row: PersonRow) -> Fields {
        [
            "id": row.id, "name": row.name, "identity": row.identity == row.name ? nil : row.identity,
            "groups": row.groups.isEmpty ? nil : row.groups, "seen": row.seen.map(moment),
            "lease": row.leaseEnd.map(moment), "sessions": row.sessions, "tokens": row.tokens, "links": row.links,
            "url": "\(base)/users/\(row.id)/ending",
        ]
    }

    private func session(_ row: SessionRow) -> Fields {
        [
            "id": row.id, "name": row.name, "address": row.address.isEmpty ? "–" : row.address,
            "begun": moment(row.begun), "used": moment(row.used), "isThis": row.isThis,
            "url": "\(base)/sessions/\(row.id)/ending",
        ]
    }

    private func link(_ row: AllLinkRow) -> Fields {
        [
            "id": row.id, "run": String(row.run.suffix(6)), "runURL": "\(base)/runs/\(row.run)",
            "operation": row.operation, "maker": row.maker ?? word("command-line"), "expires": moment(row.expires),
            "url": "\(base)/links/\(row.id)/revocation",
        ]
    }

    private func choices(_ values: [String], _ chosen: String) -> [Fields] {
        values.map { ["value": $0, "isChosen": $0 == chosen] }
    }
}
