import NIOCore
import Synchronization
import Testing
import TestSupport
import WeirAccess
@testable import WeirBoards
import WeirJournals
import WeirPages
import WeirStates

@testable import WeirWeb

@Suite(.timeLimit(.minutes(15)))
struct HeldPollTests {
    // Protocol test 1
    @Test func `a change between the page and its first poll arrives`() async throws {
        try await TestServer.run { server in
            let page = try await server.ask("GET", "/operations/steps", headers: ["Accept: text/html"])
            let next = try #require(page.text.firstMatch(of: /data-next="([^"]+)"/)).1
            let receipt = try await server.start("World")
            let answer = try await server.ask("GET", String(next))
            let json = try answer.json()
            #expect(json["k"] == "batch")
            #expect(json["e"]?.string == server.board.epoch)
            #expect(json["from"] == 0)
            let events = try #require(json["ev"]?.array)
            #expect(events.first?.array?[0].integer == receipt.sequence?.rawValue)
            #expect(events.first?.array?[1].string == "run-" + receipt.run)
            #expect(events.first?.array?[2] == 0)
            #expect(events.first?.array?[3].array?.isEmpty == false)
        }
    }

    // Protocol tests 13 and 4
    @Test func `all who wait get the same bytes, encoded once, and a new URL`() async throws {
        // Time stands still: nobody's hold ends before the last has come, however slow the machine is.
        let clock = ManualClock()
        try await TestServer.run(clock: clock) { server in
            let url = try server.tail()
            var viewers: [RawConnection] = []
            for _ in 0..<50 {
                let viewer = try await server.connect()
                try await viewer.send("GET", url)
                viewers.append(viewer)
            }
            try await server.untilHeld(50)
            try await until { server.board.viewers(of: .board) >= 50 }
            let before = server.dashboard.pollResponder.answers.encodings
            _ = try await server.start()
            clock.advance(by: 500)
            var bodies: Set<String> = []
            for viewer in viewers {
                let answer = try await viewer.response()
                bodies.insert(answer.text)
                #expect(answer["cache-control"] == "public, max-age=20")
                #expect(try answer.json()["next"]?.string != url)
            }
            #expect(bodies.count == 1)
            #expect(server.dashboard.pollResponder.answers.encodings == before + 1)
            #expect(server.dashboard.held == 0)
        }
    }

    @Test func `who looks at runs and stores starts no operation that runs only while watched, but the overview does`()
        async throws
    {
        try await TestServer.run(watched: true) { server in
            for path in ["/runs", "/runs?phase=failed", "/stores"] {
                #expect(try await server.ask("GET", path, headers: ["Accept: text/html"]).status == 200)
            }
            let viewer = try await server.connect()
            try await viewer.send("GET", server.tail("runs"))
            try await server.untilHeld(1)
            #expect(server.board.viewers(of: .board) == 1)
            #expect(try await server.board.runs(.init()).runs.isEmpty)
            _ = try await server.ask("GET", "/", headers: ["Accept: text/html"])
            try await until { server.board.view().operation("watched")?.activeRuns == 1 }
        }
    }

    // Protocol test 26: every follower asks this after a restart
    @Test func `a catch-up with nothing new is kept for a second, so that a proxy asks once for all`() async throws {
        try await TestServer.run { server in
            let head = server.board.feed.head(of: .board)
            let answer = try await server.ask("GET", "/live/1/board/\(server.board.epoch)/\(head)/now")
            #expect(try answer.json()["k"] == "empty")
            #expect(answer["cache-control"] == "public, max-age=1")
        }
    }

    // Protocol test 3
    @Test func `an old slot is answered at once with the current one, a far one refused`() async throws {
        try await TestServer.run { server in
            let epoch = server.board.epoch
            let old = try await server.ask("GET", "/live/1/board/\(epoch)/0/17")
            #expect(try old.json()["k"] == "empty")
            #expect(try old.json()["next"]?.string == (try server.tail()))
            let far = try await server.ask("GET", "/live/1/board/\(epoch)/0/999999999999")
            #expect(far.status == 400)
            #expect(far["cache-control"] == "no-store")
        }
    }

    // Protocol test 5
    @Test func `a hold ends with its slot, and within fourteen seconds`() async throws {
        let clock = ManualClock()
        try await TestServer.run(clock: clock) { server in
            let url = try server.tail()
            let viewer = try await server.connect()
            try await viewer.send("GET", url)
            try await server.untilHeld(1)
            let rest = PollSlots(feed: "board").rest(at: clock.wall)
            clock.advance(by: rest - 1)
            #expect(server.dashboard.held == 1)
            clock.advance(by: 1 + PollSlots.jitter)
            try await server.untilLetGo(by: clock)
            let answer = try await viewer.response()
            let json = try answer.json()
            #expect(json["k"] == "empty")
            // Else the page would ask again and again without a pause.
            #expect(json["more"] == false)
            #expect(json["from"] == 0)
            #expect(json["to"] == 0)
            #expect(json["ev"] == [])
            #expect(json["next"]?.string != url)
            #expect(answer["cache-control"] == "public, max-age=20")
        }
    }

    // Protocol test 6
    @Test func `what is no longer in memory is told as a gap, exactly`() async throws {
        try await TestServer.run(tailLimit: 5) { server in
            _ = try await server.start(last: 20)
            let head = server.board.feed.head(of: .board)
            let floor = server.board.feed.floor(of: .board)
            #expect(floor > 2)
            let json = try await server.ask("GET", try server.tail(at: 1)).json()
            #expect(json["k"] == "reset")
            #expect(json["why"] == "gap")
            #expect(json["lost"] == [2, .integer(floor.rawValue)])
            #expect(json["snap"] == "/live/1/board/snap")
            let snap = try await server.ask("GET", "/live/1/board/snap")
            #expect(try snap.json()["at"]?.integer == head.rawValue)
            #expect(try snap.json()["html"]?.string?.hasPrefix("<main id=\"page\"") == true)
        }
    }

    // Protocol tests 7 and 8
    @Test func `a cursor survives a restart with its journal, and starts over without it`() async throws {
        let journal = MemoryJournal(epoch: "keptepoch0001")
        let url = Shared("")
        try await TestServer.run(journal: journal) { server in
            _ = try await server.start()
            url.value = server.dashboard.pollResponder.answers.urls.now("board", 1)
        }
        let before = url.value
        try await TestServer.run(journal: journal) { server in
            let json = try await server.ask("GET", before).json()
            #expect(json["k"] == "batch")
            #expect(json["from"] == 1)
        }
        try await TestServer.run(journal: MemoryJournal(epoch: "otherepoch001")) { server in
            let answer = try await server.ask("GET", before)
            #expect(try answer.json()["why"] == "epoch")
            #expect(answer["cache-control"] == "public, max-age=5")
            let future = try await server.ask("GET", "/live/1/board/otherepoch001/99/now")
            #expect(try future.json()["why"] == "future")
            #expect(future["cache-control"] == "no-store")
        }
    }

    // Protocol test 9
    @Test func `answers of the largest size, one after the other, are the whole history`() async throws {
        try await TestServer.run { server in
            _ = try await server.start(last: 700)
            var url = server.dashboard.pollResponder.answers.urls.now("board", 0)
            let whole = server.board.feed.slice(of: .board, after: 0, limit: 100_000)
            guard case .some(let publications, _) = whole else {
                Issue.record("nothing was published")
                return
            }
            var sequences: [Int64] = []
            var answers = 0
            var isMore = true
            while isMore {
                let answer = try await server.ask("GET", url)
                let json = try answer.json()
                #expect(json["from"]?.integer == sequences.last ?? 0)
                let events = try #require(json["ev"]?.array)
                #expect(events.count <= PollEncoder.eventLimit)
                sequences += events.compactMap { $0.array?[0].integer }
                #expect(json["to"]?.integer == sequences.last)
                isMore = json["more"] == true
                url = try #require(json["now"]?.string)
                answers += 1
            }
            #expect(sequences == publications.map(\.change.sequence.rawValue))
            #expect(answers > 1)
        }
    }

    @Test func `changes that take long to render are sent in several answers`() async throws {
        try await TestServer.run(clock: SlowClock()) { server in
            _ = try await server.start(last: 5)
            var url = server.dashboard.pollResponder.answers.urls.now("board", 0)
            var sequences: [Int64] = []
            var isMore = true
            while isMore {
                let json = try await server.ask("GET", url).json()
                let events = try #require(json["ev"]?.array)
                #expect(events.count == 1)
                sequences += events.compactMap { $0.array?[0].integer }
                isMore = json["more"] == true
                url = try #require(json["now"]?.string)
            }
            #expect(sequences == Array(1...(sequences.last ?? 0)) && sequences.count > 3)
        }
    }

    /// A clock on which the time limit of an answer passes between two readings.
    private final class SlowClock: WaitClock {
        private let readings = Atomic<Int64>(0)
        private let running = EventLoopClock { Timestamp(milliseconds: 0) }

        var uptime: Int64 {
            running.uptime + readings.add(1, ordering: .relaxed).newValue * PollEncoder.timeLimit
        }

        let wall: Int64 = 1_790_000_000_000

        func schedule(at uptime: Int64, _ body: @escaping @Sendable () -> Void) {
            running.schedule(at: running.uptime + 1, body)
        }
    }

    @Test func `an ended run's feed says that it is over, also when memory has forgotten it`() async throws {
        try await TestServer.run(tailLimit: 3) { server in
            let first = try await server.start()
            server.gate.finish()
            await server.board.outcome(of: first.run)
            let end = server.board.feed.head(of: .run(first.run))
            let feed = "run-" + first.run
            #expect(try await server.ask("GET", try server.tail(feed, at: end)).json()["k"] == "end")
            _ = try await server.start(last: 10)
            let later = try await server.ask("GET", try server.tail(feed, at: end))
            #expect(try later.json()["k"] == "end")
            #expect(try await server.ask("GET", try server.tail(feed, at: end.previous)).json()["why"] == "gap")
            #expect(try await server.ask("GET", try server.tail("run-nosuchrun", at: 0)).status == 404)
        }
    }

    @Test func `more holds than the cap become polls at intervals`() async throws {
        var configuration = WebConfiguration()
        configuration.maximumHolds = 2
        try await TestServer.run(configuration: configuration) { server in
            _ = try await server.start()
            let url = try server.tail()
            var viewers: [RawConnection] = []
            for _ in 0..<2 {
                let viewer = try await server.connect()
                try await viewer.send("GET", url)
                viewers.append(viewer)
            }
            try await server.untilHeld(2)
            let answer = try await server.ask("GET", url)
            #expect(try answer.json()["k"] == "empty")
            #expect(try answer.json()["retry"] == [3_000, 6_000])
            #expect(answer["cache-control"] == "no-store")
            #expect(try answer.json()["next"]?.string != url)
            // Whoever has missed something need not be held to be told.
            #expect(try await server.ask("GET", try server.tail(at: 0)).json()["k"] == "batch")
            for viewer in viewers { await viewer.close() }
            try await server.untilHeld(0)
        }
    }

    @Test func `a viewer who leaves makes place for the next, however many have come and gone`() async throws {
        var configuration = WebConfiguration()
        configuration.maximumHolds = 1
        try await TestServer.run(configuration: configuration) { server in
            let pollResponder = server.dashboard.pollResponder
            let request = try #require(PollRequest(path: try server.tail().dropFirst("/live/1/".count)))
            let somebody = FixedAuthenticator(.localOperator, control: AccessControl())
            let admission = Admission(
                authorization: somebody.authorization,
                check: AccessCheck(control: somebody.control, isOpen: true) { _, _ in .askRoute })
            for _ in 0..<3 {
                let reply = pollResponder.poll(request, of: admission, on: server.dashboard.eventLoopGroup.any()) { _ in
                }
                guard case .held(let place) = reply else {
                    Issue.record("A page that could be live asks at intervals instead.")
                    return
                }
                let other = pollResponder.poll(request, of: admission, on: server.dashboard.eventLoopGroup.any()) { _ in
                }
                guard case .answer(let busy) = other else {
                    Issue.record("More are held than may be.")
                    return
                }
                #expect(String(buffer: busy.body).contains(#""retry":[3000,6000]"#))
                #expect(pollResponder.leave(place))
                #expect(!pollResponder.leave(place))
            }
        }
    }

    @Test func `an answer that has to be rendered is not made where rendering would hold up other connections`()
        async throws
    {
        try await TestServer.run { server in
            _ = try await server.board.start("steps", input: ["label": "a", "last": 0], actor: "ana")
            try await until { server.board.view().sequence >= 2 }
            let responder = server.dashboard.pollResponder
            let page = try #require(server.dashboard.renderer.page(feedName: "board"))
            let path = responder.answers.cursor(page, sequence: 0, after: nil).now
            let request = try #require(PollRequest(path: path.dropFirst("/live/1/".count)))
            let somebody = FixedAuthenticator(.localOperator, control: AccessControl())
            let admission = Admission(
                authorization: somebody.authorization,
                check: AccessCheck(control: somebody.control, isOpen: true) { _, _ in .askRoute })
            func isUnmade(mayRender: Bool) -> Bool {
                let reply = responder.poll(
                    request, of: admission, mayRender: mayRender, on: server.dashboard.eventLoopGroup.any()
                ) { _ in }
                if case .unmade = reply { return true }
                return false
            }
            #expect(responder.mustRender(request))
            #expect(isUnmade(mayRender: false))
            #expect(!isUnmade(mayRender: true))
            // What was made for one is there for all.
            #expect(!responder.mustRender(request))
            #expect(!isUnmade(mayRender: false))
        }
    }

    @Test func `nothing but a cut batch says that there is more to fetch at once`() async throws {
        try await TestServer.run { server in
            let answers = server.dashboard.pollResponder.answers
            let request = try #require(PollRequest(path: try server.tail().dropFirst("/live/1/".count)))
            for answer in [
                answers.empty(request, sequence: 0), answers.interrupted(request, sequence: 0),
                answers.end(request, sequence: 0), answers.busy(request, sequence: 0),
                answers.crowded(request, sequence: 0), answers.drain(request, sequence: 0),
                answers.gap(request, from: 0, floor: 3, head: 5),
                answers.reset(request, .epoch, from: 0, head: 0, caching: .never),
            ] {
                // A page that is told so fetches again without waiting, for ever.
                #expect(String(buffer: answer.body).contains(#""more":false"#))
            }
        }
    }

    @Test func `the feed of a page in another language has its words`() async throws {
        try await TestServer.run { server in
            _ = try await server.start()
            let english = try await server.ask("GET", server.dashboard.pollResponder.answers.urls.now("board", 0))
            let portuguese = try await server.ask(
                "GET", server.dashboard.pollResponder.answers.urls.now("board--pt-br", 0))
            #expect(try portuguese.json()["ev"]?.array?.count == english.json()["ev"]?.array?.count)
            #expect(try portuguese.json()["next"]?.string?.contains("/board--pt-br/") == true)
            #expect(portuguese.text != english.text)
        }
    }
}
