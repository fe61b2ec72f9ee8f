import HTTPTypes
import Testing
import WeirAccess
import WeirBoards
import WeirJournals
import WeirStates

@testable import WeirWeb

/// Every route, asked by everybody, about what they may see and what they may not.
@Suite(.timeLimit(.minutes(15)))
struct AccessMatrixTests {
    /// What a path is about: what may be seen in part, what may not, or what there is not.
    private struct About {
        var operation: String
        var store: String
        var run: String
    }

    /// What this server does not have: backups, metrics, and a quiet start.
    private static let absent: Set = [
        "/metrics", "/api/v1/backups", "/api/v1/backups/latest", "/resumption", "/api/v1/resumption",
    ]
    private static let names = ["nobody", "link", "vera", "otto", "ada"]

    /// A path of each kind of route, and of each kind of feed.
    private static func paths(_ about: About, epoch: String, effect: SequenceNumber = 2) -> [String] {
        let feeds = ["operation-\(about.operation)", "store-\(about.store)", "run-\(about.run)", "output-\(about.run)"]
        return RouteTableTests.paths(run: about.run, epoch: epoch, tail: "/live/1/board/\(epoch)/0/0")
            // Reporters are refused in another way, see below; a hook by its own secret.
            .filter { !$0.hasPrefix("/api/v1/streams/reported/") && !$0.hasPrefix("/hooks/") }.map { path in
                path.replacing("/operations/steps", with: "/operations/\(about.operation)")
                    .replacing("/schedules/steps", with: "/schedules/\(about.operation)")
                    .replacing("/effects/2/", with: "/effects/\(effect)/")
                    .replacing("/stores/bell", with: "/stores/\(about.store)")
            } + feeds.flatMap { ["/live/1/\($0)/snap", "/live/1/\($0)/\(epoch)/0/now", "/live/1/\($0)/\(epoch)/0/0"] }
            + feeds.prefix(3).map { "/api/v1/feeds/\($0)/changes" } + feeds.map { "/api/v1/streams/\($0)" }
            + [
                "/operations/\(about.operation)/after/\(epoch).0", "/runs/\(about.run)/after/\(epoch).0",
                "/stores/\(about.store)/after/\(epoch).0", "/operations/\(about.operation)?at=9000000",
                "/runs/\(about.run)?at=9000000", "/stores/\(about.store)?at=9000000", "/runs/\(about.run)?at=previous",
                "/operations/\(about.operation)?offset=5",
                "/api/v1/runs/\(about.run)?at=9000000", "/api/v1/stores/\(about.store)?at=9000000",
                "/api/v1/runs?operation=\(about.operation)", "/runs?operation=\(about.operation)",
            ]
    }

    private func ask(
        _ server: TestServer, _ method: HTTPRequest.Method, _ path: String, as name: String, headers: [String] = []
    ) async throws -> RawResponse {
        var headers = headers
        if name != "nobody" { headers.append("X-Test: \(name)") }
        let isSafe = [.get, .head].contains(method)
        if !isSafe { headers.append("Content-Type: application/x-www-form-urlencoded") }
        return try await server.ask(method.rawValue, path, headers: headers, body: isSafe ? nil : "")
    }

    /// What two answers about different ids must have in common: everything.
    private func told(_ answer: RawResponse, _ about: About) -> [String] {
        var text = answer.text
        for id in [about.run, about.operation, about.store] { text = text.replacing(id, with: "ID") }
        let fields = answer.headers.filter { !["date", "content-length", "x-request-id"].contains($0.key) }
            .map { "\($0.key): \($0.value)" }.sorted()
        return ["\(answer.status)"] + fields + [text]
    }

    /// Whether somebody may do what a route requires.
    private func mayDo(_ requirement: Requirement, _ name: String, seen: Bool) -> Bool {
        let verbs: [String: Set<Verb>] = [
            "vera": [.see], "otto": [.see, .start, .cancel, .act, .export, .report], "ada": Set(Verb.allCases),
        ]
        let mine = verbs[name] ?? []
        return switch requirement {
        case .nothing: true
        case .anything(let verb): mine.contains(verb)
        case .everything(let verb): name == "ada" && mine.contains(verb)
        case .operation(let verb, _), .store(let verb, _): (seen || name == "ada") && mine.contains(verb)
        case .run(let verb, _):
            (seen || name == "ada") && mine.contains(verb) || name == "link" && seen && verb == .see
        case .reporting: (seen || name == "ada") && mine.contains(.report)
        case .feed: name != "nobody"
        }
    }

    private func isOfRun(_ requirement: Requirement, _ run: String) -> Bool {
        if case .run(_, run) = requirement { true } else { false }
    }

    @Test func `who may see and do what is the same on every route, and what may not be seen does not exist`()
        async throws
    {
        let known = KnownNames()
        try await TestServer.run(bell: true, secret: true, scheduled: true, access: known.access) {
            server async throws in
            let mine = try await server.start().run
            let theirs = try await server.board.start("secret", input: ["label": "a"], actor: "x").run
            known.run.value = mine
            let hand = try await server.board.dispatch(["type": "hand", "name": "a"], to: "bell", actor: "x")
            _ = try await server.board.dispatch(["type": "hand", "name": "a"], to: "vault", actor: "x")
            let effect = try #require(hand.sequence)
            let seen = About(operation: "steps", store: "bell", run: mine)
            let unseen = About(operation: "secret", store: "vault", run: theirs)
            let absent = About(operation: "nothere", store: "nothere", run: String(theirs.reversed()))
            let epoch = server.board.epoch
            let paths = zip(
                Self.paths(seen, epoch: epoch, effect: effect),
                zip(
                    Self.paths(unseen, epoch: epoch, effect: effect),
                    Self.paths(absent, epoch: epoch, effect: effect)))
            var matrix = AccessMatrix()
            for name in Self.names {
                for (path, (hidden, nowhere)) in paths {
                    let route = try #require(Route(try RequestTarget(path, mount: MountPath("/")).segments))
                    for method in route.methods where method != .head {
                        let note = "\(name) \(method) \(path)"
                        let answer = try await ask(server, method, path, as: name)
                        matrix.count(name, seen: true, answer.status)
                        let requirement = route.requirement
                        let mayChange = name != "link" || method == .get
                        // Its other methods only require to see the run.
                        let deletes = method == .delete && path.hasPrefix("/api/v1/runs/")
                        if mayDo(requirement, name, seen: true), mayChange, !deletes || name == "ada" {
                            // A link shows its run, and not who is told of it.
                            let isBeside = !path.contains(mine) || path.hasSuffix("/notifications")
                            let isOfLink = name == "link" && isBeside && requirement != .nothing
                            // Only those with the right learn that the test server has none of these.
                            let isAnswered =
                                path.contains("notices/n/") || path.contains("/artifacts/a/")
                                    || Self.absent.contains(path)
                                ? answer.status == 404 || answer.status == 303
                                : ![401, 403, 404].contains(answer.status)
                            #expect(isOfLink || isAnswered, "\(note) \(answer.status)")
                            if isOfLink { #expect(answer.status == 404, "\(note)") }
                        } else if name == "nobody" {
                            #expect(answer.status == 401, "\(note)")
                        } else if name == "link", !isOfRun(requirement, mine) {
                            #expect(answer.status == 404, "\(note)")
                        } else {
                            #expect(answer.status == 403, "\(note)")
                        }
                        guard hidden != path, name != "ada" else { continue }
                        // What may not be seen is, to the last byte, what there has never been.
                        let (one, other) = (
                            try await ask(server, method, hidden, as: name),
                            try await ask(server, method, nowhere, as: name)
                        )
                        matrix.count(name, seen: false, one.status)
                        #expect(told(one, unseen) == told(other, absent), "\(name) \(method) \(hidden)")
                        let isFiltered = requirement == .anything(.see)
                        let isListed = isFiltered && name != "link" && !path.hasPrefix("/api/")
                        let expected = name == "nobody" ? 401 : isListed ? 200 : 404
                        #expect(one.status == expected, "\(name) \(method) \(hidden)")
                        #expect(!one.text.contains("Keeps a secret."), "\(name) \(method) \(hidden)")
                        if method == .get {
                            let page = try await ask(server, .get, hidden, as: name, headers: ["Accept: text/html"])
                            let gone = try await ask(server, .get, nowhere, as: name, headers: ["Accept: text/html"])
                            #expect(told(page, unseen) == told(gone, absent), "\(name) page \(hidden)")
                        }
                    }
                }
            }
            try matrix.compare(names: Self.names)
        }
    }

    @Test func `who may not report an operation's runs hears that there is no such operation, and never 403`()
        async throws
    {
        let known = KnownNames()
        try await TestServer.run(
            bell: true, secret: true, reporting: true, access: known.access
        ) { server async throws in
            for name in Self.names {
                for (operation, run) in [("deploy", "r1"), ("secret", "r2"), ("nothere", "r3")] {
                    let path = "/api/v1/streams/reported/\(operation)/\(run)"
                    let answer = try await server.ask(
                        "PUT", path, headers: name == "nobody" ? [] : ["X-Test: \(name)"], body: "")
                    #expect(answer.status != 403, "\(name) \(path)")
                    if name == "nobody" { #expect(answer.status == 401, "\(path)") }
                    if ["link", "vera"].contains(name) { #expect(answer.status == 404, "\(name) \(path)") }
                }
            }
        }
    }

    @Test func `no answer to one who sees a part tells of the rest`() async throws {
        let known = KnownNames()
        try await TestServer.run(bell: true, secret: true, access: known.access) { server async throws in
            let mine = try await server.start().run
            let theirs = try await server.board.start("secret", input: ["label": "hush"], actor: "mole").run
            _ = try await server.board.dispatch(["type": "hand", "name": "hush"], to: "vault", actor: "mole")
            known.run.value = mine
            let seen = About(operation: "steps", store: "bell", run: mine)
            for name in ["vera", "otto", "link"] {
                for path in Self.paths(seen, epoch: server.board.epoch) + [
                    "/runs?text=hush", "/api/v1/runs?text=hush", "/nowhere",
                ] {
                    for accept in ["text/html", "application/json"] {
                        let answer = try await ask(server, .get, path, as: name, headers: ["Accept: \(accept)"])
                        var text = answer.text.replacing("text=hush", with: "").replacing("value=\"hush\"", with: "")
                            .replacing("</span> hush", with: "")  // The filter that was asked for.
                        if answer.status != 200 { text = text.replacing(path, with: "") }
                        for word in [theirs, "hush", "mole", "vault", "Keeps a secret.", "Vault"] {
                            #expect(!text.contains(word), "\(name) \(path): \(word)")
                        }
                    }
                }
            }
            // One who sees everything finds all of it.
            let all = try await ask(server, .get, "/", as: "walt", headers: ["Accept: text/html"])
            #expect(all.text.contains("Keeps a secret.") || all.text.contains("secret"))
            #expect(try await ask(server, .get, "/runs?text=hush", as: "walt").text.contains(theirs))
        }
    }

    @Test func `what may not be done has no button`() async throws {
        let known = KnownNames()
        try await TestServer.run(bell: true, secret: true, access: known.access) { server async throws in
            let run = try await server.start().run
            server.gate.finish()
            await server.board.outcome(of: run)
            let going = try await server.start().run
            let pages = [
                "/", "/runs", "/operations/steps", "/runs/\(run)", "/runs/\(going)", "/stores", "/stores/bell",
                "/stores/bell?at=9000000", "/operations/steps?at=3", "/gallery",
            ]
            for page in pages {
                let vera = try await ask(server, .get, page, as: "vera", headers: ["Accept: text/html"])
                #expect(!vera.offersChanges, "\(page)")
                #expect(!vera.text.contains("/export"), "\(page)")
                #expect(!vera.text.contains("/system"), "\(page)")
            }
            let otto = try await ask(server, .get, "/operations/steps", as: "otto").text
            #expect(otto.contains("action=\"/operations/steps/runs\""))
            #expect(otto.contains("action=\"/runs/\(going)/cancellation\""))
            let bell = try await ask(server, .get, "/stores/bell", as: "otto").text
            #expect(bell.contains("action=\"/stores/bell/actions"))
            #expect(!bell.contains("action=\"/stores/bell/reset\""))
            #expect(!(try await ask(server, .get, "/runs", as: "otto").text.contains("action=\"/imports\"")))
            let ada = try await ask(server, .get, "/stores/bell", as: "ada").text
            #expect(ada.contains("action=\"/stores/bell/reset\""))
            #expect(try await ask(server, .get, "/runs", as: "ada").text.contains("action=\"/imports\""))
            #expect(try await ask(server, .get, "/", as: "ada").text.contains("href=\"/system\""))
        }
    }
}
