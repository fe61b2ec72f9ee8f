import Testing
import WeirStates

@testable import WeirAccess
@testable import WeirWeb

/// The set-up of a second factor, the step of the sign-in that asks for a code, and the removal by administrators.
@Suite(.timeLimit(.minutes(15)))
struct SecondFactorPageTests {
    private static let html = "Accept: text/html"
    private static let password = "correct+horse"

    /// The code of the next step, which is accepted after a code of the current one.
    private func next(_ secret: [UInt8]) -> String {
        TimeCode.code(secret, step: TimeCode.step(at: AuditLog.time()) + 1)
    }

    private func sealed(in page: RawResponse) throws -> String {
        String(try #require(page.text.firstMatch(of: /name="secret" value="([0-9a-f.]+)"/)).output.1)
    }

    private func post(
        _ server: AccountServer, _ path: String, _ headers: [String], _ body: String
    ) async throws -> RawResponse {
        try await server.ask("POST", path, headers + AccountServer.form + [Self.html], body: body)
    }

    private func cookie(_ response: RawResponse) throws -> String {
        "Cookie: \(try #require(response.headers["set-cookie"]).prefix { $0 != ";" })"
    }

    /// Sets up a second factor with the form, by the current code; returns the secret and the page with the recovery codes.
    private func setUp(
        _ server: AccountServer, _ session: String, back: String = ""
    ) async throws -> (secret: [UInt8], page: RawResponse) {
        let form = try await server.ask("GET", "/account/second-factor", [session, Self.html])
        let sealed = try sealed(in: form)
        let secret = try #require(SealedText.content(of: sealed).flatMap { Hex($0) }).bytes
        #expect(form.text.contains(SecondFactorRecord.grouped(Base32.text(secret), by: " ")))
        #expect(form.text.contains("otpauth://totp/"))
        let code = TimeCode.code(secret, step: TimeCode.step(at: AuditLog.time()))
        let page = try await post(
            server, "/account/second-factor", [session],
            "action=set-up&secret=\(sealed)&password=\(Self.password)&code=\(code)&back=\(back)")
        #expect(page.status == 201)
        return (secret, page)
    }

    private func recoveryCodes(_ page: RawResponse) -> [String] {
        page.text.matches(of: /<code>([0-9a-z]{4}(?:-[0-9a-z]{4}){3})<\/code>/).map { String($0.output.1) }
    }

    @Test func `a user sets up a second factor, and the next sign-in asks for its code`() async throws {
        try await AccountServer.run { server in
            let vera = try await server.cookie(of: "vera")
            let (secret, shown) = try await setUp(server, vera)
            let codes = recoveryCodes(shown)
            #expect(Set(codes).count == 10)
            #expect(shown.headers["cache-control"] == "private, no-store")
            let later = try await server.ask("GET", "/account/second-factor", [vera, Self.html])
            #expect(recoveryCodes(later).isEmpty && later.text.contains("Unused recovery codes: 10."))
            #expect(try await server.ask("GET", "/runs", [vera]).status == 200)
            let asked = try await post(server, "/sign-in", [], "name=vera&password=\(Self.password)&back=/runs")
            #expect(asked.status == 303 && asked.headers["location"] == "/sign-in/code?back=%2Fruns")
            let step = try cookie(asked)
            #expect(asked.headers["set-cookie"]?.contains("HttpOnly") == true)
            #expect(try await server.ask("GET", "/runs", [step]).status == 401)
            let form = try await server.ask("GET", "/sign-in/code?back=%2Fruns", [step, Self.html])
            #expect(form.status == 200 && form.text.contains(#"value="/runs""#) && !form.text.contains("vera"))
            let wrong = try await post(server, "/sign-in/code", [step], "code=x&back=/runs")
            #expect(wrong.status == 422 && wrong.text.contains("The code is wrong, or was used."))
            let code = next(secret)
            let entered = try await post(server, "/sign-in/code", [step], "code=\(code)&back=/runs")
            #expect(entered.status == 303 && entered.headers["location"] == "/runs")
            #expect(try await server.ask("GET", "/runs", [try cookie(entered)]).status == 200)
            #expect(try await post(server, "/sign-in/code", [step], "code=\(code)&back=/runs").status == 422)
            let recovered = try await post(server, "/sign-in/code", [step], "code=\(codes[0])&back=/runs")
            #expect(recovered.status == 303)
        }
    }

    @Test func `a code without the step of the same browser leads to the password, whatever the name`() async throws {
        try await AccountServer.run { server in
            _ = try await setUp(server, try await server.cookie(of: "vera"))
            let name = server.directory.cookie.name
            let answers = try await [
                [], ["Cookie: \(name)-step=\(Hex("vera".utf8).text).9999999999999.00"],
                ["Cookie: \(name)-step=\(Hex("nobody".utf8).text).9999999999999.00"],
            ].asyncMap { try await post(server, "/sign-in/code", $0, "code=000000&back=/") }
            #expect(Set(answers.map(\.text)).count == 1)
            for answer in answers { #expect(answer.status == 422 && answer.text.contains(#"id="sign-in-password""#)) }
            let page = try await server.ask("GET", "/sign-in/code?back=%2Fruns", [Self.html])
            #expect(page.status == 303 && page.headers["location"] == "/sign-in?back=%2Fruns")
        }
    }

    @Test func `a link for a password leads to the code, and begins no session`() async throws {
        try await AccountServer.run { server in
            let (secret, _) = try await setUp(server, try await server.cookie(of: "vera"))
            let link = try await server.directory.makePasswordLink(of: "vera", hours: 1, by: .system)
            let set = try await post(server, "/password/\(link.secret.text)", [], "password=battery+staple")
            #expect(set.status == 303 && set.headers["location"] == "/sign-in/code")
            let step = try cookie(set)
            #expect(try await server.ask("GET", "/runs", [step]).status == 401)
            #expect(try await post(server, "/sign-in/code", [step], "code=\(next(secret))&back=/").status == 303)
        }
    }

    @Test func `a required second factor is set up before anything else`() async throws {
        try await AccountServer.run(secondFactorRoles: ["admin"]) { server in
            let (root, vera) = (try await server.cookie(of: "root"), try await server.cookie(of: "vera"))
            #expect(try await server.ask("GET", "/runs", [vera]).status == 200)
            for path in ["/", "/users", "/account", "/account/password"] {
                let answer = try await server.ask("GET", path, [root, Self.html])
                #expect(answer.status == 303, "\(path)")
                #expect(answer.headers["location"]?.hasPrefix("/account/second-factor?back=") == true, "\(path)")
            }
            for path in ["/api/v1/runs", "/api/v1/users", "/live/1/board/snap", "/api/v1/streams/board"] {
                let answer = try await server.ask("GET", path, [root])
                #expect(answer.status == 403 && answer.text.contains("second-factor-required"), "\(path)")
            }
            let (_, page) = try await setUp(server, root, back: "/users")
            #expect(page.text.contains(#"href="/users""#))
            #expect(try await server.ask("GET", "/users", [root, Self.html]).status == 200)
        }
    }

    @Test func `an administrator sees who has a second factor, and removes it`() async throws {
        try await AccountServer.run { server in
            let (root, vera) = (try await server.cookie(of: "root"), try await server.cookie(of: "vera"))
            func has() async throws -> Bool {
                let list = try await server.ask("GET", "/api/v1/users", [root]).json()["users"]?.array ?? []
                let page = try await server.ask("GET", "/users", [root, Self.html]).text
                let isShown = page.contains("/users/vera/second-factor/removal")
                let user = list.first { $0["name"]?.string == "vera" }
                #expect(user?["secondFactor"]?.bool == isShown)
                return isShown
            }
            for request in [
                ("POST", "/users/vera/second-factor/removal"), ("DELETE", "/api/v1/users/vera/second-factor"),
            ] {
                #expect(try await !has())
                _ = try await setUp(server, vera)
                #expect(try await has())
                let refused = try await server.ask(request.0, request.1, [vera] + AccountServer.form, body: "")
                #expect(refused.status == 403)
                #expect(try await server.ask(request.0, request.1, [root] + AccountServer.form, body: "").status < 400)
            }
            #expect(try await !has())
            let last = try await server.directory.audit.page(AuditFilter(action: .secondFactor)).records.first?.entry
            #expect(last?.subject == "user:vera" && last?.detail == "before: set up; after: none")
            let unknown = try await server.ask(
                "DELETE", "/api/v1/users/nobody/second-factor", [root] + AccountServer.form, body: "")
            #expect(unknown.status == 404)
        }
    }
}

extension Array {
    fileprivate func asyncMap<Value>(_ transform: (Element) async throws -> Value) async rethrows -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await transform(element)) }
        return values
    }
}
