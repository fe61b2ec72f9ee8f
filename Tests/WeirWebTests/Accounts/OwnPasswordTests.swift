import Testing
import WeirAccess

@testable import WeirWeb

@Suite(.timeLimit(.minutes(15)))
struct OwnPasswordTests {
    private func change(
        _ server: AccountServer, _ headers: [String], from current: String, to new: String
    ) async throws -> RawResponse {
        try await server.ask(
            "POST", "/account/password", headers + AccountServer.form, body: "current=\(current)&password=\(new)")
    }

    @Test func `a user changes the own password with the current one, and the other sessions end`() async throws {
        try await AccountServer.run { server in
            let (here, elsewhere) = (try await server.cookie(of: "vera"), try await server.cookie(of: "vera"))
            let page = try await server.ask("GET", "/account", [here, "Accept: text/html"])
            #expect(page.text.contains(#"action="/account/password""#))
            let wrong = try await change(server, [here], from: "wrong+horse", to: "battery+staple")
            #expect(wrong.status == 422 && wrong.text.contains("The current password is wrong."))
            for (new, sentence) in [
                ("short", "at least 10"), ("vera+likes+tea", "does not contain the name"),
                ("P%40ssw0rd123", "first that attackers try"),
            ] {
                let refused = try await change(server, [here], from: "correct+horse", to: new)
                #expect(refused.status == 422 && refused.text.contains(sentence), "\(new)")
            }
            for session in [here, elsewhere] {
                #expect(try await server.ask("GET", "/api/v1/runs", [session]).status == 200)
            }
            let changed = try await change(server, [here], from: "correct+horse", to: "battery+staple")
            #expect(changed.status == 303 && changed.headers["location"] == "/account")
            for old in [here, elsewhere] { #expect(try await server.ask("GET", "/api/v1/runs", [old]).status == 401) }
            let field = try #require(changed.headers["set-cookie"])
            #expect(field.contains("HttpOnly"))
            let again = try await server.ask(
                "POST", "/sign-in", AccountServer.form, body: "name=vera&password=battery+staple&back=/")
            #expect(again.status == 303)
        }
    }

    /// The answer of the API; `fields` are members besides.
    private func put(
        _ server: AccountServer, _ headers: [String], from current: String, to new: String, fields: String = ""
    ) async throws -> RawResponse {
        try await server.ask(
            "PUT", "/api/v1/account/password",
            headers + ["Content-Type: application/json", "Sec-Fetch-Site: same-origin"],
            body: #"{"current": "\#(current)", "password": "\#(new)"\#(fields)}"#)
    }

    @Test func `a program with a session changes the own password as the page does`() async throws {
        try await AccountServer.run { server in
            let (here, elsewhere) = (try await server.cookie(of: "vera"), try await server.cookie(of: "vera"))
            let (old, new) = ("correct horse", "battery staple")
            for (current, password, fields) in [
                ("wrong horse", new, ""), (old, "short", ""), (old, old, ""), (old, new, #", "name": "root""#),
            ] {
                let refused = try await put(server, [here], from: current, to: password, fields: fields)
                #expect(refused.status == 422 && refused.headers["set-cookie"] == nil, "\(current) \(password)")
            }
            try await server.directory.requirePasswordChange(true, of: "vera", by: .system)
            let changed = try await put(server, [here], from: old, to: new)
            #expect(changed.status == 204)
            for session in [here, elsewhere] {
                #expect(try await server.ask("GET", "/api/v1/runs", [session]).status == 401)
            }
            let field = try #require(changed.headers["set-cookie"]?.prefix { $0 != ";" })
            #expect(try await server.ask("GET", "/api/v1/runs", ["Cookie: \(field)"]).status == 200)
            let entries = try await server.directory.audit.page(AuditFilter(action: .changePassword)).records
            #expect(entries.map(\.entry.subject) == ["user:vera"] && entries.first?.entry.detail == "ended: 2 sessions")
            let signIns = AuditFilter(principal: "vera", action: .signIn, outcome: .done)
            #expect(try await server.directory.audit.page(signIns).records.count == 2)
        }
    }

    @Test func `guesses of the current password through the API are delayed, and the answer says for how long`()
        async throws
    {
        try await AccountServer.run { server in
            let cookie = try await server.cookie(of: "vera")
            var answers: [RawResponse] = []
            for index in 0..<7 {
                answers.append(try await put(server, [cookie], from: "wrong horse \(index)", to: "battery staple"))
            }
            let last = try #require(answers.last)
            #expect(answers.prefix(5).allSatisfy { $0.status == 422 } && last.status == 429)
            #expect(last.headers["retry-after"].flatMap { Int($0) } ?? 0 > 0)
        }
    }

    @Test func `a token, a stranger and another site cannot change a password`() async throws {
        try await AccountServer.run { server in
            let (vera, token) = (try await server.cookie(of: "vera"), try await server.bearer("admin"))
            for headers in [[], [token]] {
                let answer = try await change(server, headers, from: "correct+horse", to: "battery+staple")
                #expect([401, 403, 404].contains(answer.status))
                let api = try await put(server, headers, from: "correct horse", to: "battery staple")
                #expect(api.status == (headers.isEmpty ? 401 : 403))
            }
            let other = try await server.ask(
                "POST", "/account/password",
                [vera, "Content-Type: application/x-www-form-urlencoded", "Sec-Fetch-Site: cross-site"],
                body: "current=correct+horse&password=battery+staple")
            #expect(other.status == 403)
            let otherSite = try await server.ask(
                "PUT", "/api/v1/account/password",
                [vera, "Content-Type: application/json", "Sec-Fetch-Site: cross-site"],
                body: #"{"current": "correct horse", "password": "battery staple"}"#)
            #expect(otherSite.status == 403)
        }
    }
}
