import Testing
import WeirBoards
import WeirStates

@testable import WeirWeb

/// The list of schedules, for people and programs, and what can be done to them there.
@Suite(.timeLimit(.minutes(15)))
struct ScheduleTests {
    @Test func `a program lists the schedules with their next times`() async throws {
        try await TestServer.run(scheduled: true) { server in
            let answer = try await server.ask("GET", "/api/v1/schedules")
            #expect(answer.status == 200)
            let list = try #require(try answer.json()["schedules"]?.array)
            #expect(list.count == 1)
            let schedule = try #require(list.first)
            #expect(schedule["operation"] == "steps")
            #expect(schedule["schedule"] == "0 0 29 2 *")
            #expect(schedule["timezone"] == "Europe/Lisbon")
            #expect(schedule["catchUp"] == "once")
            #expect(schedule["paused"] == .null)
            #expect(schedule["last"] == .null)
            let next = try #require(schedule["next"]?.array)
            #expect(next.count == 5)
            #expect(next.allSatisfy { $0["time"]?.string?.hasSuffix("-02-29T00:00:00.000Z") == true })
            #expect(try await server.ask("GET", "/api/v1/schedules/steps").json() == schedule)
            #expect(try await server.ask("GET", "/api/v1/schedules/keep").status == 404)
            #expect(try await server.ask("GET", "/api/v1/schedules/nothing").status == 404)
        }
    }

    @Test func `a program pauses a schedule, which names it, and lets it go on`() async throws {
        try await TestServer.run(scheduled: true) { server in
            let path = "/api/v1/schedules/steps/"
            let paused = try await server.ask("POST", path + "pause", headers: ["X-Weir-Actor: Ana"])
            #expect(paused.status == 200)
            #expect(try paused.json()["paused"]?["by"] == "Ana")
            #expect(try paused.json()["next"] == [])
            let again = try await server.ask("POST", path + "pause", headers: ["X-Weir-Actor: Bob"])
            #expect(try again.json()["paused"]?["by"] == "Ana")
            let resumed = try await server.ask("POST", path + "resumption")
            #expect(try resumed.json()["paused"] == .null)
            #expect(try resumed.json()["next"]?.array?.count == 5)
            #expect(try await server.ask("POST", "/api/v1/schedules/keep/pause").status == 404)
        }
    }

    @Test func `from a failure, the reason of a pause is asked for on a page of its own, and the list shows the pause`()
        async throws
    {
        try await TestServer.run(scheduled: true) { server in
            let path = "/schedules/steps/pause"
            let page = try await server.ask("GET", path, headers: ["Accept: text/html"])
            #expect(page.status == 200 && page.text.contains("name=\"reason\"") && !page.text.contains("http-equiv"))
            #expect(try await server.ask("GET", "/schedules/keep/pause").status == 404)
            let form = ["Content-Type: application/x-www-form-urlencoded", "Referer: http://127.0.0.1\(path)"]
            let answer = try await server.ask("POST", path, headers: form, body: "reason=Audit")
            #expect(answer.status == 303 && answer["location"] == "/schedules")
        }
    }

    @Test func `a browser without JavaScript pauses a schedule where it looks at it`() async throws {
        try await TestServer.run(scheduled: true) { server in
            let page = try await server.ask("GET", "/schedules", headers: ["Accept: text/html"])
            #expect(page.status == 200)
            #expect(page.text.contains("<code>0 0 29 2 *</code>"))
            #expect(page.text.contains("action=\"/schedules/steps/pause\""))
            #expect(page.text.contains("29 Feb"))
            let form = [
                "Content-Type: application/x-www-form-urlencoded", "Referer: http://127.0.0.1/operations/steps",
            ]
            let answer = try await server.ask(
                "POST", "/schedules/steps/pause", headers: form, body: "reason=Audit+in+May")
            #expect(answer.status == 303)
            #expect(answer["location"] == "/operations/steps")
            let operation = try await server.ask("GET", "/operations/steps", headers: ["Accept: text/html"])
            #expect(operation.text.contains("id=\"schedule\""))
            #expect(operation.text.contains("action=\"/schedules/steps/resumption\""))
            #expect(!operation.text.contains("29 Feb"))
            #expect(operation.text.contains("Audit in May"))
            let told = try await server.ask("GET", "/api/v1/schedules/steps").json()
            #expect(told["paused"]?["reason"] == "Audit in May")
        }
    }

    @Test func `a client that lost its place is given the schedule with the page`() async throws {
        try await TestServer.run(scheduled: true) { server in
            let answer = try await server.ask("GET", "/live/1/operation-steps/snap")
            #expect(answer.text.contains("0 0 29 2 *"))
        }
    }

    @Test func `a server without schedules does not lead to their page, and the page says so`() async throws {
        try await TestServer.run { server in
            let overview = try await server.ask("GET", "/", headers: ["Accept: text/html"])
            #expect(!overview.text.contains("href=\"/schedules\""))
            let page = try await server.ask("GET", "/schedules", headers: ["Accept: text/html"])
            #expect(page.text.contains("No operation has a schedule."))
            #expect(try await server.ask("GET", "/api/v1/schedules").json() == ["schedules": []])
        }
    }

    @Test(arguments: [
        (#"{"reason":5}"#, 400), ("[]", 400), (#""May""#, 400), (#"{"reason":null}"#, 200),
        (#"{"reason":"\#(String(repeating: "a", count: 201))"}"#, 422), ("{}", 200),
    ])
    func `a pause accepts a reason that is a text of at most 200 characters`(body: String, status: Int) async throws {
        try await TestServer.run(scheduled: true) { server in
            let answer = try await server.ask(
                "POST", "/api/v1/schedules/steps/pause", headers: ["Content-Type: application/json"], body: body)
            #expect(answer.status == status)
        }
    }
}
