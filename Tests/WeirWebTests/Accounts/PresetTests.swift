import Foundation
import Testing
import WeirAccess
import WeirStates

@testable import WeirWeb

@Suite(.timeLimit(.minutes(15)))
struct PresetTests {
    private static let nightly = #"{"label":"a b","last":5}"#

    private static func save(
        _ name: String, _ values: String = nightly, _ cookie: String, _ server: AccountServer
    ) async throws -> RawResponse {
        let body = "name=\(PercentEncoding.encode(name))&values=\(PercentEncoding.encode(values))"
        return try await server.ask(
            "POST", "/operations/steps/presets", [cookie, "Accept: text/html"] + AccountServer.form, body: body)
    }

    private static func page(_ cookie: String, _ server: AccountServer, query: String = "") async throws -> String {
        try await server.ask("GET", "/operations/steps\(query)", [cookie, "Accept: text/html"]).text
    }

    @Test func `values of a form are saved under a name, and a form begins with them`() async throws {
        try await AccountServer.run { server in
            let root = try await server.cookie(of: "root")
            let asked = try await server.ask(
                "POST", "/operations/steps/presets/new", [root, "Accept: text/html"] + AccountServer.form,
                body: "label=a+b&last=5&password=x")
            #expect(asked.status == 200 && asked.text.contains("value=\"{&quot;label&quot;:&quot;a b&quot;,"))
            #expect(!asked.text.contains("password"))
            let saved = try await Self.save("Every night", Self.nightly, root, server)
            #expect(saved.status == 303)
            #expect(saved.headers["location"] == "/operations/steps?preset=Every%20night#start")
            #expect(saved.headers["set-cookie"] == nil)
            let other = try await server.cookie(of: "root")
            #expect(try await Self.page(other, server).contains("preset=Every%20night#start\">Every night<"))
            let form = try await Self.page(other, server, query: "?preset=Every%20night")
            #expect(form.contains("value=\"a b\"") && form.contains("value=\"5\""))
            #expect(try await server.ask("GET", "/operations/steps?preset=x", [root]).status == 404)
        }
    }

    @Test func `presets are their person's alone, until that person removes them or is removed`() async throws {
        try await AccountServer.run { server in
            let ana = try await server.person("ana", "operator")
            _ = try await Self.save("Mine", Self.nightly, ana, server)
            let root = try await server.cookie(of: "root")
            #expect(!(try await Self.page(root, server).contains(">Mine<")))
            let vera = try await server.cookie(of: "vera")
            #expect(try await Self.save("Hers", Self.nightly, vera, server).status == 403)
            try await server.directory.removeUser("ana", by: .system)
            let later = try await server.person("ana", "operator")
            #expect(!(try await Self.page(later, server).contains(">Mine<")))
            _ = try await Self.save("Mine", Self.nightly, later, server)
            let form = [later, "Accept: text/html"] + AccountServer.form
            _ = try await server.ask("POST", "/operations/steps/presets", form, body: "remove=Mine")
            #expect(!(try await Self.page(later, server).contains(">Mine<")))
        }
    }

    @Test func `a preset has a name and readable values, and there is room for a number of them`() async throws {
        try await AccountServer.run { server in
            let root = try await server.cookie(of: "root")
            for name in ["", " ", "a\nb", String(repeating: "a", count: 61)] {
                #expect(try await Self.save(name, Self.nightly, root, server).status == 400, "\(name)")
            }
            for values in ["", "[]", "{", "5"] {
                #expect(try await Self.save("a", values, root, server).status == 400, "\(values)")
            }
            let long = #"{"label":"\#(String(repeating: "ä", count: 20_000))"}"#
            #expect(try await Self.save("long", long, root, server).status == 400)
            for number in 0..<12 {
                #expect(try await Self.save("p\(number)", Self.nightly, root, server).status == 303)
            }
            #expect(try await Self.save("p12", Self.nightly, root, server).status == 400)
            #expect(try await Self.save("p3", #"{"label":"changed"}"#, root, server).status == 303)
            #expect(try await Self.page(root, server, query: "?preset=p3").contains("value=\"changed\""))
        }
    }

    @Test func `without accounts the browser keeps presets in a cookie of the operation's address`() async throws {
        try await TestServer.run { server in
            func save(_ body: String, _ cookie: String = "") async throws -> RawResponse {
                try await server.ask(
                    "POST", "/operations/steps/presets",
                    headers: [
                        "Accept: text/html", "Content-Type: application/x-www-form-urlencoded",
                        "Cookie: weir-presets=\(cookie)",
                    ], body: body)
            }
            let saved = try await save("name=%3Cb%3E&values=\(PercentEncoding.encode(Self.nightly))")
            let field = try #require(saved["set-cookie"])
            // The attributes have no order.
            let attributes = field.components(separatedBy: "; ")
            #expect(attributes.contains("Path=/operations/steps") && attributes.contains("HttpOnly"))
            let cookie = String(field.dropFirst("weir-presets=".count).prefix { $0 != ";" })
            let page = try await server.ask(
                "GET", "/operations/steps", headers: ["Accept: text/html", "Cookie: weir-presets=\(cookie)"]
            ).text
            #expect(page.contains("&lt;b&gt;") && !page.contains("<b>"))
            let long = PercentEncoding.encode(#"{"label":"\#(String(repeating: "a", count: 4_000))"}"#)
            #expect(try await save("name=a&values=\(long)").status == 400)
            let gone = try await save("remove=%3Cb%3E", cookie)
            #expect(gone["set-cookie"]?.contains("Max-Age=0") == true)
            for odd in ["%", "a=%25", "=x", "a", "a=%5B%5D"] {
                let page = try await server.ask(
                    "GET", "/operations/steps", headers: ["Accept: text/html", "Cookie: weir-presets=\(odd)"])
                #expect(page.status == 200)
            }
        }
    }
}
