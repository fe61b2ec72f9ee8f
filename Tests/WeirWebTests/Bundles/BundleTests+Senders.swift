import TestSupport
import Testing
@testable import WeirAccess
import WeirBoards
import WeirStates

@testable import WeirWeb

/// Several people who send files to import at the same time.
extension BundleTests {
    @Test func `somebody who sends as many files as one may keeps nobody else from importing`() async throws {
        let known = KnownNames(
            AccessRules(grants: [RoleGrant(RoleAssignment("admin"), to: [.user("ada"), .user("adam")])]))
        try await TestServer.run(access: known.access) { server in
            let imports = server.dashboard.services.imports
            func headers(_ name: String) -> [String] { [Self.jsonl, "Content-Length: 1000000", "X-Test: \(name)"] }
            var open: [RawConnection] = []
            for _ in 0..<RunImports.maximumReceivedOfOne {
                let connection = try await server.connect()
                try await connection.send("POST", "/api/v1/imports", headers: headers("ada"))
                open.append(connection)
            }
            try await until { imports.taken == RunImports.maximumReceivedOfOne }
            let third = try await server.connect()
            try await third.send("POST", "/api/v1/imports", headers: headers("ada"))
            let refused = try await third.response()
            #expect(refused.status == 503 && refused["retry-after"] != nil)
            let detail = try refused.json()["detail"]?.string
            #expect(detail?.hasPrefix("You are already sending as many files") == true)
            let other = [Self.jsonl, "X-Test: adam"]
            #expect(try await server.ask("POST", "/api/v1/imports", headers: other, body: "x").status == 422)
            for connection in open + [third] { await connection.close() }
            try await until { imports.taken == 0 }
        }
    }
}
