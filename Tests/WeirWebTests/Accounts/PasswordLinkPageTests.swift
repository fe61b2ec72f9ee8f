import Foundation
import TestSupport
import Testing
import WeirAccess
import WeirBoards
import WeirFlows
import WeirStates

@testable import WeirWeb

/// Invitations, links for forgotten passwords, and required changes, in a browser and for programs.
@Suite(.timeLimit(.minutes(15)))
struct PasswordLinkPageTests {
    private static let json = ["Content-Type: application/json", "Sec-Fetch-Site: same-origin"]
    private static let html = "Accept: text/html"

    private func path(in text: String) throws -> String {
        "/password/" + String(try #require(text.firstMatch(of: /weir_password_[0-9A-Za-z]{49}/)).output)
    }

    @Test func `an administrator invites a person, who chooses a password on the page of the link`() async throws {
        try await AccountServer.run { server in
            let root = AccountServer.form + [try await server.cookie(of: "root")]
            let body = "name=ana&role=operator&scope=all&operations=&stores=&tags=&hours=24&mail="
            let made = try await server.ask("POST", "/users/invitation", root, body: body)
            #expect(made.status == 201)
            let link = try path(in: made.text)
            #expect(try await server.ask("GET", "/users", root).text.contains("weir_password_") == false)
            let page = try await server.ask("GET", link, [Self.html])
            #expect(page.status == 200 && page.text.contains(#"value="ana""#))
            #expect(page.headers["cache-control"] == "private, no-store")
            let short = try await server.ask("POST", link, AccountServer.form, body: "password=short")
            #expect(short.status == 422 && short.text.contains("at least 10"))
            let cross = ["Content-Type: application/x-www-form-urlencoded", "Sec-Fetch-Site: cross-site"]
            #expect(try await server.ask("POST", link, cross, body: "password=battery+staple").status == 403)
            let set = try await server.ask("POST", link, AccountServer.form, body: "password=battery+staple")
            #expect(set.status == 303 && set.headers["location"] == "/")
            let session = "Cookie: \(try #require(set.headers["set-cookie"]).prefix { $0 != ";" })"
            #expect(try await server.ask("GET", "/account/password", [session]).status == 200)
            for method in ["GET", "POST"] {
                let again = try await server.ask(
                    method, link, method == "GET" ? [] : AccountServer.form,
                    body: method == "GET" ? nil : "password=staple+battery")
                let never = try await server.ask(
                    method, "/password/x", method == "GET" ? [] : AccountServer.form,
                    body: method == "GET" ? nil : "password=staple+battery")
                #expect(again.status == 404 && never.status == 404)
                #expect(again.text.replacing(link, with: "") == never.text.replacing("/password/x", with: ""))
            }
            let entered = try await server.ask(
                "POST", "/sign-in", AccountServer.form, body: "name=ana&password=battery+staple&back=/")
            #expect(entered.status == 303)
        }
    }

    @Test func `programs make and end links, and hear what is wrong with a request`() async throws {
        try await AccountServer.run { server in
            let headers = Self.json + [try await server.bearer("admin")]
            let invited = try await server.ask(
                "POST", "/api/v1/users/ana/invitation", headers, body: #"{"roles": [{"role": "viewer"}]}"#)
            #expect(invited.status == 201)
            #expect(try invited.json()["mailed"]?.bool == false)
            let link = try path(in: try #require(try invited.json()["url"]?.string))
            #expect(try await server.ask("GET", link).status == 200)
            let list = try await server.ask("GET", "/api/v1/users", headers).text
            #expect(list.contains("passwordLinkExpires") && !list.contains("weir_password_"))
            #expect(try await server.ask("DELETE", "/api/v1/users/ana/password-link", headers).status == 204)
            #expect(try await server.ask("GET", link).status == 404)
            let reset = try await server.ask(
                "POST", "/api/v1/users/vera/password-link", headers, body: #"{"hours": 1}"#)
            #expect(reset.status == 201)
            for (path, body, status) in [
                ("vera/invitation", #"{"roles": []}"#, 409), ("vera/password-link", #"{"hours": 0}"#, 422),
                ("vera/password-link", #"{"hours": "1"}"#, 422), ("vera/password-link", #"{"days": 1}"#, 422),
                ("vera/password-link", #"{"mail": "vera@example.com"}"#, 422), ("nobody/password-link", "{}", 404),
            ] {
                #expect(
                    try await server.ask("POST", "/api/v1/users/\(path)", headers, body: body).status == status,
                    "\(body)")
            }
        }
    }

    @Test func `a link is mailed to the address that is given, and shown with the reason if it was not taken`()
        async throws
    {
        let sent = Locked<[(String, String)]>([])
        let mailer: Accounts.Mailer = { receiver, _, text in
            sent.withLock { $0.append(("\(receiver)", text)) }
            return "\(receiver)".hasPrefix("full") ? "The mailbox is full." : nil
        }
        try await AccountServer.run(mailer: mailer) { server in
            let root = AccountServer.form + [try await server.cookie(of: "root")]
            let mailed = try await server.ask(
                "POST", "/users/vera/password-link", root, body: "hours=24&mail=vera%40example.com")
            #expect(mailed.status == 201 && mailed.text.contains("vera@example.com"))
            let letter = try #require(sent.withLock { $0.first })
            #expect(letter.0 == "vera@example.com")
            #expect(try letter.1.contains(path(in: mailed.text)))
            let full = try await server.ask(
                "POST", "/users/vera/password-link", root, body: "hours=24&mail=full%40example.com")
            #expect(full.status == 201 && full.text.contains("The mailbox is full."))
            let wrong = try await server.ask(
                "POST", "/users/vera/password-link", root, body: "hours=24&mail=vera")
            #expect(wrong.status == 422 && wrong.text.contains("vera is not an e-mail address"))
        }
    }

    @Test func `until a required change, a session reaches the form only, and programs hear why`() async throws {
        try await AccountServer.run { server in
            let (root, vera) = (try await server.cookie(of: "root"), try await server.cookie(of: "vera"))
            let required = try await server.ask(
                "PUT", "/api/v1/users/vera/password-change", Self.json + [root], body: #"{"required": true}"#)
            #expect(required.status == 204)
            for path in ["/", "/runs", "/account", "/tokens", "/sessions"] {
                let answer = try await server.ask("GET", path, [vera, Self.html])
                #expect(answer.status == 303, "\(path)")
                #expect(answer.headers["location"]?.hasPrefix("/account/password?back=") == true, "\(path)")
            }
            let epoch = server.board.epoch
            for path in [
                "/api/v1/runs", "/api/v1/account", "/api/v1/sessions", "/live/1/board/snap",
                "/live/1/board/\(epoch)/0/0", "/api/v1/streams/board", "/api/v1/feeds/board/changes",
            ] {
                let answer = try await server.ask("GET", path, [vera])
                #expect(answer.status == 403 && answer.text.contains("password-change-required"), "\(path)")
            }
            let start = try await server.ask(
                "POST", "/tokens", AccountServer.form + [vera], body: "name=ci&role=viewer&operations=&days=30")
            #expect(start.status == 403)
            let form = try await server.ask("GET", "/account/password?back=/runs", [vera, Self.html])
            #expect(form.status == 200 && form.text.contains(#"value="/runs""#))
            let wrong = try await server.ask(
                "POST", "/account/password", AccountServer.form + [vera],
                body: "back=/runs&current=wrong+horse&password=battery+staple")
            #expect(wrong.status == 422 && wrong.text.contains("The current password is wrong."))
            let changed = try await server.ask(
                "POST", "/account/password", AccountServer.form + [vera],
                body: "back=/runs&current=correct+horse&password=battery+staple")
            #expect(changed.status == 303 && changed.headers["location"] == "/runs")
            let session = "Cookie: \(try #require(changed.headers["set-cookie"]).prefix { $0 != ";" })"
            #expect(try await server.ask("GET", "/runs", [session]).status == 200)
        }
    }

    @Test func `a held poll learns within a second that a change is required, and shows nothing more`() async throws {
        try await AccountServer.run { server in
            let vera = try await server.cookie(of: "vera")
            let page = try await server.ask("GET", "/", [vera, Self.html]).text
            let start = try #require(page.range(of: "data-next=\"")).upperBound
            let connection = try await server.connect()
            try await connection.send(
                "GET", String(page[start...].prefix { $0 != "\"" }), headers: [vera], body: nil)
            try await until { server.dashboard.held == 1 }
            try await server.directory.requirePasswordChange(true, of: "vera", by: .system)
            let answer = try await connection.response(isHead: false)
            let snap = try #require(try answer.json()["snap"]?.string)
            #expect(try await server.ask("GET", snap, [vera]).text.contains("password-change-required"))
            await connection.close()
        }
    }
}
