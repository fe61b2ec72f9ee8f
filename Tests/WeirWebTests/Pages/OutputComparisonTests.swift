import Testing
import WeirBoards
import WeirStates

@testable import WeirWeb

/// The outputs of two runs side by side.
@Suite(.timeLimit(.minutes(15)))
struct OutputComparisonTests {
    private func report(_ lines: [String], as run: String, to server: TestServer) async throws {
        let path = "/api/v1/streams/reported/deploy/\(run)"
        #expect(try await server.ask("PUT", path, body: "").status < 300)
        let messages = lines.map { #"{"line":"\#($0)"}"# } + [#"{"state":"gone","phase":"failed"}"#]
        let headers = ["Content-Type: application/json", "Stream-Closed: true"]
        let body = "[" + messages.joined(separator: ",") + "]"
        #expect(try await server.ask("POST", path, headers: headers, body: body).status == 204)
    }

    @Test func `two outputs are compared line by line, and times and numbers do not count`() async throws {
        try await TestServer.run(reporting: true) { server in
            try await report(["10:01 begin", "order 1 is done", "<b>end</b>"], as: "r1", to: server)
            try await report(["10:02 begin", "no rate", "order 2 is done", "<b>end</b>"], as: "r2", to: server)
            let told = try await server.ask("GET", "/api/v1/runs/r1/comparison?with=r2").json()["output"]
            #expect(told?["differing"] == 1 && told?["isPart"] == false)
            #expect(told?["lines"] == [["a": .null, "b": ["number": 2, "text": "no rate"]]])
            let page = try await server.ask(
                "GET", "/operations/deploy/compare?a=r1&b=r2", headers: ["Accept: text/html"]
            ).text
            #expect(page.contains("Lines that differ: 1.") && page.contains("href=\"/runs/r2?line=2#line-2\""))
            #expect(page.contains("&lt;b&gt;end&lt;/b&gt;") && !page.contains("<b>end"))
            let same = try await server.ask("GET", "/api/v1/runs/r1/comparison?with=r1").json()["output"]
            #expect(same?["differing"] == 0)
        }
    }
}
