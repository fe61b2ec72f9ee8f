import Testing
import WeirBoards
import WeirStates

@testable import WeirWeb

/// Failures that a user has acknowledged.
@Suite(.timeLimit(.minutes(15)))
struct AcknowledgingTests {
    private static let path = "/operations/deploy/acknowledgement"

    /// Reports a failed run of the operation.
    private func fail(_ server: TestServer) async throws {
        let headers = ["Content-Type: application/json", "Stream-Closed: true"]
        let run = "/api/v1/streams/reported/deploy/r1"
        #expect(try await server.ask("PUT", run, body: "").status < 300)
        let end = #"{"state":"gone","phase":"failed","message":"Full."}"#
        #expect(try await server.ask("POST", run, headers: headers, body: end).status == 204)
    }

    @Test func `a failure is acknowledged with a note and an end, and listed again when that is withdrawn`()
        async throws
    {
        try await TestServer.run(reporting: true) { server in
            try await fail(server)
            let body = #"{"note": " The vendor knows. ", "hours": 8}"#
            let headers = ["Content-Type: application/json", "X-Weir-Actor: Ana"]
            let answer = try await server.ask("POST", "/api/v1" + Self.path, headers: headers, body: body)
            #expect(answer.status == 200)
            let told = try await server.ask("GET", "/api/v1/operations/deploy").json()["acknowledged"]
            #expect(told?["by"] == "Ana" && told?["note"] == "The vendor knows." && told?["until"]?.string != nil)
            let page = try await server.ask("GET", "/", headers: ["Accept: text/html"]).text
            #expect(page.contains("known-deploy") && !page.contains("fails-deploy"))
            let form = ["Content-Type: application/x-www-form-urlencoded"]
            #expect(try await server.ask("POST", Self.path + "/end", headers: form, body: "").status == 303)
            #expect(try await server.ask("GET", "/", headers: ["Accept: text/html"]).text.contains("fails-deploy"))
        }
    }

    @Test func `the note is asked for on a page that does not reload itself, and then the overview is shown`()
        async throws
    {
        try await TestServer.run(reporting: true) { server in
            let html = ["Accept: text/html"]
            #expect(try await server.ask("GET", Self.path, headers: html).status == 409)
            try await fail(server)
            let page = try await server.ask("GET", Self.path, headers: html)
            #expect(page.status == 200 && page.text.contains("Full.") && page.text.contains("name=\"note\""))
            #expect(!page.text.contains("http-equiv"))
            let form = ["Content-Type: application/x-www-form-urlencoded", "Referer: http://127.0.0.1\(Self.path)"]
            let answer = try await server.ask("POST", Self.path, headers: form, body: "note=Known&hours=")
            #expect(answer.status == 303 && answer["location"] == "/")
        }
    }

    @Test func `a page that is open when a failure is acknowledged is told to load its content again`() async throws {
        try await TestServer.run(reporting: true) { server in
            try await fail(server)
            let tail = try server.tail()
            let form = ["Content-Type: application/x-www-form-urlencoded"]
            #expect(try await server.ask("POST", Self.path, headers: form, body: "hours=").status == 303)
            let reset = try await server.ask("GET", tail).json()
            #expect(reset["k"] == "reset" && reset["why"] == "catalog")
            let snapshot = try await server.ask("GET", "/live/1/board/snap").json()
            #expect(snapshot["html"]?.string?.contains("known-deploy") == true)
        }
    }

    @Test func `what has not failed cannot be acknowledged, and hours are a number`() async throws {
        try await TestServer.run(reporting: true) { server in
            let form = ["Content-Type: application/x-www-form-urlencoded"]
            #expect(try await server.ask("POST", "/api/v1" + Self.path, headers: form, body: "").status == 409)
            try await fail(server)
            let noText = try await server.ask(
                "POST", "/api/v1" + Self.path, headers: ["Content-Type: application/json"], body: #"{"note": 5}"#)
            #expect(noText.status == 400)
            for hours in ["0", "-1", "x", "99999999999999999999", "1.5"] {
                let answer = try await server.ask("POST", "/api/v1" + Self.path, headers: form, body: "hours=\(hours)")
                #expect(answer.status == 400)
            }
            #expect(try await server.ask("GET", "/api/v1/operations/deploy").json()["acknowledged"] == .null)
        }
    }
}
