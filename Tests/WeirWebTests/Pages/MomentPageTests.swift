import TestSupport
import Testing
@testable import WeirBoards
import WeirJournals
import WeirStates

@testable import WeirWeb

/// Pages of the past and of two runs, as they are asked for.
@Suite(.timeLimit(.minutes(15)))
struct MomentPageTests {
    private static let html = "Accept: text/html,application/xhtml+xml,*/*;q=0.8"

    private func get(_ server: TestServer, _ path: String) async throws -> RawResponse {
        try await server.ask("GET", path, headers: [Self.html])
    }

    /// A run of `steps` from its opening to its end, and the sequences of its changes.
    private func ended(_ server: TestServer, _ label: String, last: Int = 3) async throws -> (String, [SequenceNumber])
    {
        let receipt = try await server.start(label, last: last)
        server.gate.finish()
        await server.board.outcome(of: receipt.run)
        try await until { try await server.board.run(receipt.run).endedAt != nil }
        let changes = try await server.board.changes(of: .run(receipt.run), after: nil, limit: 100).changes
        return (receipt.run, changes.map(\.sequence))
    }

    // K8
    @Test(arguments: [10_000, 1]) func `a run is shown as it stood after any of its changes`(tail: Int) async throws {
        try await TestServer.run(tailLimit: tail) { server in
            let (run, changes) = try await ended(server, "World")
            for (place, sequence) in changes.enumerated() {
                for path in ["/runs/\(run)", "/operations/steps"] {
                    let page = try await get(server, "\(path)?at=\(sequence)")
                    #expect(page.status == 200)
                    #expect(page.text.contains("data-paused=\"\(sequence)\""))
                    #expect(page.text.contains("href=\"\(path)?at=\(sequence)&amp;lang=pt-BR\""))
                    #expect(!page.text.contains("data-next") && !page.text.contains("http-equiv"))
                    #expect(!page.text.contains("There is no change"))
                }
                let page = try await get(server, "/runs/\(run)?at=\(sequence)")
                #expect(page.text.contains("step \(place + 1) of \(changes.count)"))
                let json = try await server.ask("GET", "/api/v1/runs/\(run)?at=\(sequence)").json()
                #expect(json["revision"]?.integer == Int64(place))
            }
        }
    }

    @Test func `the slider and the step back lead to the change they mean`() async throws {
        try await TestServer.run { server in
            let (run, changes) = try await ended(server, "World")
            let path = "/runs/\(run)"
            let last = try #require(changes.last)
            #expect(
                try await get(server, path + "?at=previous")["location"] == "\(path)?at=\(changes[changes.count - 2])")
            #expect(try await get(server, path + "?offset=99999999")["location"] == "\(path)?at=\(last)")
            #expect(
                try await get(server, "/operations/steps?run=\(run)&offset=99999999")["location"]
                    == "/operations/steps?at=\(last)")
            // Of the changes within the first millisecond the last counts, as all of them began then.
            let view = try await server.board.view(of: run)
            let first = view.transitions.last { $0.at <= view.record.startedAt }?.sequence ?? changes[0]
            #expect(try await get(server, path + "?offset=0")["location"] == "\(path)?at=\(first)")
        }
    }

    // U13: idle time hides no step.
    @Test func `on the scale of steps every state is as long as any other and is found by its place`() async throws {
        try await TestServer.run { server in
            let (run, _) = try await ended(server, "World")
            let path = "/runs/\(run)"
            let states = try await server.board.view(of: run).transitions
            for (place, state) in states.enumerated() {
                let led = try await get(server, "\(path)?by=step&step=\(place * 100)&offset=0")
                #expect(led["location"] == "\(path)?at=\(state.sequence)")
                // Within a state, one of its own changes is found, also where the next began in the same millisecond.
                let within = try await get(server, "\(path)?step=\(place * 100 + 99)")
                let location = try #require(within["location"]?.split(separator: "=").last)
                let found = try #require(SequenceNumber(String(location)))
                #expect(found >= state.sequence)
                if place + 1 < states.count { #expect(found < states[place + 1].sequence) }
            }
            let last = try #require(states.last).sequence
            for beyond in ["\(states.count * 100)", "9223372036854775807"] {
                #expect(try await get(server, "\(path)?step=\(beyond)")["location"] == "\(path)?at=\(last)")
            }
            let led = try await get(server, "/operations/steps?run=\(run)&step=0")
            #expect(led["location"] == "/operations/steps?at=\(states[0].sequence)")
            // Who goes by time stays with it, without JavaScript, too.
            let byTime = try await get(server, "\(path)?by=time&step=0&offset=99999999")
            #expect(byTime["location"] == "\(path)?at=\(last)&by=time")
            let page = try await get(server, "\(path)?at=\(last)&by=time")
            #expect(page.text.contains("id=\"scrub-by-time\" name=\"by\" value=\"time\" checked=\"checked\""))
            #expect(page.text.contains("href=\"\(path)?at=\(states[0].sequence)&amp;by=time\""))
        }
    }

    @Test func `what cannot be shown is told in a sentence`() async throws {
        try await TestServer.run { server in
            _ = try await ended(server, "earlier")
            let (run, changes) = try await ended(server, "World")
            for (query, status) in [
                ("at=x", 400), ("at=", 400), ("at=-1", 400), ("at=99999999999999999999", 400), ("offset=x", 400),
                ("offset=-1", 400), ("step=x", 400), ("step=-1", 400), ("at=1", 404),
            ] {
                for path in ["/runs/\(run)?", "/api/v1/runs/\(run)?"]
                where query.hasPrefix("at") || path.hasPrefix("/r") {
                    #expect(try await get(server, path + query).status == status, "\(path)\(query)")
                }
            }
            let early = try await get(server, "/runs/\(run)?at=1")
            #expect(early.text.contains("began with change \(changes[0]), so there is nothing to show at change 1"))
            let ahead = try await get(server, "/runs/\(run)?at=9000")
            #expect(ahead.status == 200)
            #expect(ahead.text.contains("There is no change 9,000 yet. Showing the current state."))
            #expect(try await get(server, "/runs/nothing?at=1").status == 404)
            #expect(try await get(server, "/operations/nothing?at=1").status == 404)
            #expect(try await get(server, "/operations/keep?at=1").text.contains("was never started"))
        }
    }

    @Test func `the past is found when memory has let go of it, and a number beyond all changes does no harm`()
        async throws
    {
        try await TestServer.run(tailLimit: 1, bell: true) { server in
            let (run, changes) = try await ended(server, "World")
            // The tail holds one change: this one, of another topic.
            _ = try await server.board.dispatch(["type": "ring", "times": 1], to: "bell", actor: "test")
            let last = try #require(changes.last)
            let previous = try await get(server, "/operations/steps?at=previous")
            #expect(
                previous.status == 303 && previous["location"] == "/operations/steps?at=\(changes[changes.count - 2])")
            for path in ["/operations/steps", "/runs/\(run)"] {
                let ahead = try await get(server, "\(path)?at=9007199254740991")
                #expect(ahead.status == 200 && ahead.text.contains("There is no change 9,007,199,254,740,991 yet."))
                #expect(ahead.text.contains("data-paused=\"\(last)\""))
                for beyond in ["9007199254740992", "9223372036854775807", "9223372036854775808"] {
                    let refused = try await get(server, "\(path)?at=\(beyond)")
                    #expect(
                        refused.status == 400 && refused.text.contains("must be the number of a change"), "\(beyond)")
                }
            }
        }
    }

    @Test(arguments: ["9007199254740991", "9007199254740992", "9223372036854775807", "9223372036854775808", "-1", "0"])
    func `every route that takes the number of a change answers any number`(number: String) async throws {
        try await TestServer.run(tailLimit: 1, printing: true, bell: true) { server in
            let (run, _) = try await ended(server, "World")
            let epoch = server.board.epoch
            for path in [
                "/?at=\(number)", "/runs?before=\(number)", "/runs/\(run)?offset=\(number)",
                "/runs/\(run)?step=\(number)", "/operations/steps?step=\(number)",
                "/operations/steps?offset=\(number)", "/operations/steps?at=\(number)", "/stores/bell?at=\(number)",
                "/stores/bell/effects/\(number)/0", "/stores/bell/effects/1/\(number)", "/after/\(epoch).\(number)",
                "/runs/\(run)/after/\(epoch).\(number)", "/live/1/board/\(epoch)/\(number)/now",
                "/live/1/board/\(epoch)/\(number)/1", "/live/1/board/\(epoch)/0/\(number)",
                "/live/1/output-\(run)/\(epoch)/\(number)/now", "/api/v1/runs?before=\(number)",
                "/api/v1/runs?limit=\(number)", "/api/v1/runs/\(run)?at=\(number)",
                "/api/v1/runs/\(run)/output?after=\(number)", "/api/v1/feeds/board/changes?after=\(epoch).\(number)",
                "/api/v1/feeds/board/changes?wait=\(number)", "/api/v1/stores/bell?at=\(number)",
                "/runs/export?before=\(number)", "/api/v1/runs/export?before=\(number)",
            ] {
                // With HEAD, what would be held is answered at once.
                let answer = try await server.ask(path.contains("/after/") ? "HEAD" : "GET", path)
                #expect([200, 303, 400, 404].contains(answer.status), "\(path): \(answer.status)")
            }
            let state = "/stores/bell/state?at=\(number)"
            #expect([200, 303, 400, 404].contains(try await server.ask("POST", state).status), "\(state)")
        }
    }

    @Test func `two runs of an operation are shown side by side, and where they part`() async throws {
        try await TestServer.run { server in
            let (first, _) = try await ended(server, "one", last: 2)
            let second = try await server.start("two", last: 3).run
            let page = try await get(server, "/operations/steps/compare?a=\(first)&b=\(second)")
            #expect(page.status == 200)
            #expect(page.text.contains("The runs diverge at step 5: A continues with “Done”, B with “Striding”."))
            #expect(
                page.text.contains("<th scope=\"row\">Label</th><td class=\"wide\">one</td><td class=\"wide\">two</td>")
            )
            let json = try await server.ask("GET", "/api/v1/runs/\(first)/comparison?with=\(second)").json()
            #expect(json["parting"]?.integer == 4)
            #expect(json["differingInput"] == ["label", "last"])
            let led = try await get(server, "/operations/steps/compare?b=\(second)")
            #expect(led["location"] == "/operations/steps/compare?a=\(first)&b=\(second)")
            #expect(
                try await get(server, "/runs/\(second)").text.contains(
                    "/operations/steps/compare?a=\(first)&amp;b=\(second)"))
            // No success precedes the first run.
            #expect(try await !get(server, "/runs/\(first)").text.contains("/operations/steps/compare"))
            let form = try await get(server, "/operations/steps")
            #expect(
                form.text.contains(
                    "<form class=\"choice\" id=\"compare\" method=\"get\" action=\"/operations/steps/compare\">"))
            server.gate.finish()
        }
    }

    @Test func `two moments of a run or a store are shown with what differs between them`() async throws {
        try await TestServer.run(bell: true) { server in
            let (run, changes) = try await ended(server, "World")
            let last = try #require(changes.last)
            let past = try await get(server, "/runs/\(run)?at=\(changes[1])")
            #expect(past.text.contains("href=\"/runs/\(run)/moments?a=\(changes[1])\""))
            let page = try await get(server, "/runs/\(run)/moments?a=\(changes[1])")
            #expect(page.status == 200 && page.text.contains("href=\"/runs/\(run)?at=\(last)\""))
            #expect(page.text.contains("/runs/\(run)/moments?a=\(last)&amp;b=\(changes[1])"))
            let same = try await get(server, "/runs/\(run)/moments?a=\(last)&b=\(last)")
            #expect(same.text.contains("Nothing differs."))
            for times in 1...2 {
                _ = try await server.board.dispatch(
                    ["type": "ring", "times": .integer(Int64(times))], to: "bell", actor: "test")
            }
            let rung = try await server.board.changes(of: .store("bell"), after: nil, limit: 10).changes
            let first = try #require(rung.dropLast().last).sequence
            let store = try await get(server, "/stores/bell/moments?a=\(first)")
            #expect(store.status == 200 && !store.text.contains("Nothing differs."))
            // Before anything is returned to, the page says what would change.
            let back = try await get(server, "/stores/bell?at=\(first)")
            #expect(back.text.contains("id=\"return\"") && back.text.contains("After returning"))
        }
    }

    @Test func `moments that cannot be compared are told in a sentence`() async throws {
        try await TestServer.run(bell: true) { server in
            let (run, _) = try await ended(server, "World")
            for (path, status) in [
                ("/runs/\(run)/moments", 400), ("/runs/\(run)/moments?a=", 400), ("/runs/\(run)/moments?a=x", 400),
                ("/runs/\(run)/moments?a=1&b=x", 400), ("/runs/\(run)/moments?a=9007199254740991", 200),
                ("/runs/nothing/moments?a=1", 404), ("/stores/nothing/moments?a=1", 404),
            ] {
                #expect(try await get(server, path).status == status, "\(path)")
            }
        }
    }

    @Test func `what cannot be compared is told in a sentence`() async throws {
        try await TestServer.run { server in
            let (run, _) = try await ended(server, "one")
            let path = "/operations/steps/compare"
            #expect(try await get(server, path).status == 400)
            #expect(try await get(server, "\(path)?a=\(run)").status == 400)
            #expect(try await get(server, "\(path)?a=\(run)&b=nothing").status == 404)
            #expect(try await get(server, "/operations/nothing/compare?a=\(run)&b=\(run)").status == 404)
            #expect(try await get(server, "/operations/keep/compare?a=\(run)&b=\(run)").text.contains("but of “steps”"))
            let alone = try await get(server, "\(path)?b=\(run)")
            #expect(alone.status == 404 && alone.text.contains("No run of this operation that was started before"))
            let kept = try await server.board.start(
                "keep", input: ["file": ["id": "f", "filename": "f", "length": 0]],
                actor: "test"
            ).run
            let other = try await get(server, "\(path)?a=\(run)&b=\(kept)")
            #expect(other.status == 422 && other.text.contains("Choose two runs of one operation."))
        }
    }
}
