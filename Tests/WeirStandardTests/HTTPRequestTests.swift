import Foundation
import Testing
import WeirFlows
import WeirOperations
import WeirStates

@testable import WeirStandard

@Suite(.timeLimit(.minutes(15)))
struct HTTPRequestTests {
    private let one = Attempt(1, of: 1)

    private func request(
        _ clock: ManualClock = ManualClock(), names: [String: [String]] = [:], limit: Int64 = 1_000_000
    )
        -> HTTPRequestOperation
    {
        HTTPRequestOperation(
            .init(bodyLimit: limit),
            environment: OperationEnvironment(
                clock: clock, random: { 0.5 }, resolver: FixedNames(names: names), outgoing: .loopback))
    }

    private func cases(_ states: [HTTPRequestState]) -> [String] { states.cases }

    private func message(_ state: HTTPRequestState?) -> String? { state?.message }

    // G1
    @Test func `each step of a request by name is seen, in order`() async throws {
        let server = try await LoopbackServer.answering("Hello", headers: "Content-Type: text/plain\r\nX-Other: 1\r\n")
        let url = "http://weir.test:\(server.port)/a?b=c"
        let run = try Watched(request(names: ["weir.test": ["127.0.0.1"]]), HTTPRequestInput(url: url))
        let states = await run.states()
        let expected: [HTTPRequestState] = [
            .none, .resolving(host: "weir.test", attempt: one),
            .connecting(host: "weir.test", address: "127.0.0.1", port: server.port, attempt: one),
            .waiting(method: "GET", url: url, attempt: one),
            .receiving(status: 200, bytes: 0, total: 5, attempt: one),
            .receiving(status: 200, bytes: 5, total: 5, attempt: one),
            .success(
                status: 200, reason: "OK", url: url, milliseconds: 0,
                headers: [HeaderField("Content-Type", "text/plain"), HeaderField("Content-Length", "5")],
                text: "Hello", textIsWhole: true, size: 5, bodyIsWhole: true, attempt: one),
        ]
        #expect(states == expected)
        #expect(server.requests.value.first?.lowercased().contains("host: weir.test:\(server.port)\r\n") == true)
        #expect(states[5].progress == WorkProgress(5, of: 5, unit: .bytes))
    }

    @Test func `what is sent and what comes is printed, and nothing that lets somebody in`() async throws {
        let server = try await LoopbackServer.answering(
            "Hello", headers: "Set-Cookie: id=geheim\r\nX-Api-Key: geheim\r\nX-Odd: a\tb\r\n")
        let printed = Printed()
        let runner = OperationRunner(request(names: ["weir.test": ["127.0.0.9", "127.0.0.1"]]))
        let run = try runner.start(HTTPRequestInput(url: "http://weir.test:\(server.port)/a?b=c")) {
            $0.print(to: printed)
        }
        guard case .succeeded = await run.outcome() else { return #expect(Bool(false), "it did not succeed") }
        let lines = printed.lines
        #expect(
            lines.prefix(6) == [
                "* Looking up weir.test", "* weir.test is 127.0.0.9, 127.0.0.1 after 0 ms",
                "* Connecting to 127.0.0.9 port \(server.port)",
                "* Connection refused: nothing listens at 127.0.0.9 port \(server.port). Check the port, and that the service runs.",
                "* Connecting to 127.0.0.1 port \(server.port)", "* Connected after 0 ms",
            ])
        #expect(lines.contains("> GET /a?b=c HTTP/1.1"))
        #expect(lines.contains { $0.lowercased() == "> host: weir.test:\(server.port)" })
        #expect(lines.contains("< \u{1B}[1;32mHTTP/1.1 200 OK\u{1B}[0m"))
        #expect(lines.contains("< Set-Cookie: (hidden)") && lines.contains("< X-Api-Key: (hidden)"))
        #expect(lines.contains("< X-Odd: a\tb"))
        #expect(lines.last == "* 5 bytes of body after 0 ms")
        #expect(!lines.joined().contains("geheim"))
    }

    @Test func `each attempt and each failure is printed`() async throws {
        let printed = Printed()
        let input = HTTPRequestInput(url: "http://127.0.0.1:\(LoopbackServer.deadPort)/", attempts: 2)
        let operation = request(ManualClock(passes: { $0 < .seconds(5) }))
        let run = try OperationRunner(operation).start(input) { $0.print(to: printed) }
        _ = await run.outcome()
        #expect(printed.lines.filter { $0.hasPrefix("* Attempt") } == ["* Attempt 1 of 2", "* Attempt 2 of 2"])
        #expect(printed.lines.filter { $0.hasPrefix("* Connection refused") }.count == 2)
        #expect(printed.lines.contains { $0.hasPrefix("* Trying again in ") })
    }

    @Test func `the next address is tried when the first refuses`() async throws {
        let server = try await LoopbackServer.answering("Hello")
        let run = try Watched(
            request(names: ["weir.test": ["127.0.0.9", "127.0.0.1"]]),
            HTTPRequestInput(url: "http://weir.test:\(server.port)/"))
        let states = await run.states()
        #expect(
            cases(states) == ["none", "resolving", "connecting", "waiting", "receiving", "success"])
        #expect(states.filter { cases([$0]) == ["connecting"] }.count == 2)
    }

    @Test func `a host that accepted a request is not sent it again at its next address`() async throws {
        let server = try await LoopbackServer { _, _ in .reset("") }
        let run = try Watched(
            request(names: ["weir.test": ["127.0.0.1", "127.0.0.9"]]),
            HTTPRequestInput(method: .POST, url: "http://weir.test:\(server.port)/", body: "pay"))
        let states = await run.states()
        #expect(states.count { cases([$0]) == ["connecting"] } == 1)
        #expect(message(states.last)?.hasPrefix("The server closed the connection without an answer.") == true)
    }

    @Test func `method and body are sent`() async throws {
        let server = try await LoopbackServer.answering(status: "201 Created", "")
        let run = try Watched(
            request(), HTTPRequestInput(method: .PUT, url: server.url + "x", body: "one", expectedStatus: 201))
        #expect(cases(await run.states()).last == "success")
        #expect(server.requests.value.first?.hasPrefix("PUT /x HTTP/1.1\r\n") == true)
        #expect(server.requests.value.first?.contains("Content-Length: 3\r\n") == true)
    }

    @Test func `a name that does not exist is told as such`() async throws {
        let run = try Watched(request(), HTTPRequestInput(url: "http://nowhere.test/"))
        let states = await run.states()
        #expect(cases(states) == ["none", "resolving", "error"])
        #expect(message(states.last) == "There is no host named nowhere.test. Check the spelling.")
    }

    @Test func `a peer that hangs times out, and the state says in which step`() async throws {
        let clock = ManualClock()
        let server = try await LoopbackServer { _, _ in .stay("") }
        let run = try Watched(request(clock), HTTPRequestInput(url: server.url, timeout: 3))
        _ = await run.first { $0.isWaiting }
        await clock.sleeper(of: .seconds(3))
        clock.end(.seconds(3))
        let states = await run.states()
        #expect(cases(states) == ["none", "connecting", "waiting", "error"])
        #expect(
            message(states.last)
                == "The server accepted the request but did not answer within 3 s. Try again, or allow more time.")
    }

    @Test func `a peer that stops in the middle of its answer times out while receiving`() async throws {
        let clock = ManualClock()
        let server = try await LoopbackServer { _, _ in .stay("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc") }
        let run = try Watched(request(clock), HTTPRequestInput(url: server.url, timeout: 3))
        _ = await run.first { $0.progress?.completed == 3 }
        await clock.sleeper(of: .seconds(3))
        clock.end(.seconds(3))
        #expect(message(await run.states().last)?.hasPrefix("The answer did not end within 3 s.") == true)
    }

    @Test func `a peer that resets is told as hanging up`() async throws {
        let before = try await LoopbackServer { _, _ in .reset("") }
        let first = try Watched(request(), HTTPRequestInput(url: before.url))
        #expect(
            message(await first.states().last)?.hasPrefix("The server closed the connection without an answer.") == true
        )
        let amid = try await LoopbackServer { _, _ in .reset("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc") }
        let second = try Watched(request(), HTTPRequestInput(url: amid.url))
        #expect(message(await second.states().last)?.hasPrefix("The connection was lost in the middle") == true)
    }

    @Test(arguments: [
        ("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc", "The connection was lost in the middle of the answer."),
        ("HTTP/1.1 200 OK\r\nContent-Le", "The server closed the connection without an answer."),
    ])
    func `an answer that breaks off is told as such, and not as none of HTTP`(
        answer: String, words: String
    ) async throws {
        let server = try await LoopbackServer { _, _ in .answer(answer) }
        let run = try Watched(request(), HTTPRequestInput(url: server.url))
        #expect(message(await run.states().last)?.hasPrefix(words) == true)
    }

    @Test func `something that is not HTTP is told as such`() async throws {
        let server = try await LoopbackServer { _, _ in .answer("SSH-2.0-OpenSSH_9.6\r\n") }
        let run = try Watched(request(), HTTPRequestInput(url: server.url))
        #expect(message(await run.states().last)?.hasPrefix("The answer is not HTTP") == true)
    }

    @Test(arguments: ["099 x", "000 x", "001 Continue"])
    func `a status that there is not is told as such, and does not end the process`(status: String) async throws {
        let server = try await LoopbackServer { _, _ in
            .answer("HTTP/1.1 \(status)\r\nContent-Length: 5\r\n\r\nHello")
        }
        let run = try Watched(request(), HTTPRequestInput(url: server.url))
        #expect(message(await run.states().last)?.hasPrefix("The answer is not HTTP") == true)
    }

    @Test func `TLS to a port that speaks plain HTTP is told as no secure connection`() async throws {
        let server = try await LoopbackServer { _, _ in .answer("HTTP/1.1 400 Bad Request\r\n\r\n") }
        let run = try Watched(request(), HTTPRequestInput(url: "https://127.0.0.1:\(server.port)/"))
        let states = await run.states()
        #expect(cases(states) == ["none", "connecting", "error"])
        #expect(
            message(states.last)
                == "No secure connection to 127.0.0.1: the server does not speak TLS on this port. Try http, or another port."
        )
    }

    @Test func `a body without end is cut off at the bound, and the state says so`() async throws {
        let server = try await LoopbackServer { _, _ in .endless }
        let run = try Watched(request(limit: 100_000), HTTPRequestInput(url: server.url))
        guard
            case .success(_, _, _, _, _, let text, let textIsWhole, let size, let bodyIsWhole, _)? = await run.states()
                .last
        else { throw Unexpected() }
        #expect(text == String(repeating: "0", count: 2_048))
        #expect(!textIsWhole && !bodyIsWhole)
        #expect((100_001...400_000).contains(size))
    }

    @Test func `a status that is not expected is an error with what the server said`() async throws {
        let server = try await LoopbackServer.answering(status: "404 Not Found", "Nothing here.")
        let run = try Watched(request(), HTTPRequestInput(url: server.url))
        #expect(
            await run.states().last
                == .error(
                    message: "The server answered 404 Not Found.", attempt: one, milliseconds: 0, status: 404,
                    text: "Nothing here."))
        let wanted = try Watched(request(), HTTPRequestInput(url: server.url, expectedStatus: 404))
        #expect(cases(await wanted.states()).last == "success")
    }

    @Test func `a redirect is followed, each of its steps seen, and a circle of them ends`() async throws {
        let server = try await LoopbackServer { number, _ in
            number == 1
                ? .answer(LoopbackServer.http(status: "302 Found", "", headers: "Location: /b\r\n"))
                : .answer(LoopbackServer.http(status: "200 OK", "here"))
        }
        let run = try Watched(request(), HTTPRequestInput(url: server.url + "a"))
        let states = await run.states()
        #expect(
            cases(states) == ["none", "connecting", "waiting", "connecting", "waiting", "receiving", "success"])
        let circle = try await LoopbackServer.answering(status: "302 Found", "", headers: "Location: /\r\n")
        let lost = try Watched(request(), HTTPRequestInput(url: circle.url))
        #expect(message(await lost.states().last)?.hasPrefix("Redirected more than 5 times") == true)
        #expect(circle.requests.value.count == 6)
    }

    @Test func `attempts follow one another after growing waits, until one works`() async throws {
        let clock = ManualClock(passes: { $0 < .seconds(5) })
        let server = try await LoopbackServer { number, _ in
            number < 3 ? .reset("") : .answer(LoopbackServer.http(status: "200 OK", "at last"))
        }
        let run = try Watched(request(clock), HTTPRequestInput(url: server.url, attempts: 3))
        let states = await run.states()
        #expect(
            cases(states) == [
                "none", "connecting", "waiting", "retrying", "connecting", "waiting", "retrying", "connecting",
                "waiting", "receiving", "success",
            ])
        let waits = states.compactMap { state -> Int64? in
            guard case .retrying(_, let milliseconds, _) = state else { return nil }
            return milliseconds
        }
        #expect(waits == [375, 750])
    }

    @Test func `when no attempt works the error says which was the last`() async throws {
        let run = try Watched(
            request(ManualClock(passes: { $0 < .seconds(5) })),
            HTTPRequestInput(url: "http://127.0.0.1:\(LoopbackServer.deadPort)/", attempts: 2))
        #expect(message(await run.states().last)?.hasSuffix("(Attempt 2 of 2.)") == true)
    }

    // G2
    @Test func `cancelling a request that waits ends it at once, in its step`() async throws {
        let server = try await LoopbackServer { _, _ in .stay("") }
        let run = try Watched(request(), HTTPRequestInput(url: server.url))
        _ = await run.first { $0.isWaiting }
        run.run.cancel(.actor("the test"))
        #expect(await run.states().last == .cancelled(during: "waiting"))
    }

    @Test(arguments: [
        "", "no", "ftp://a/b", "http://", "http://user:secret@127.0.0.1/", "http:///x", "file:///etc/passwd",
    ])
    func `a URL that cannot be asked for is refused, without another try`(url: String) async throws {
        let run = try Watched(request(), HTTPRequestInput(url: url, attempts: 3))
        let states = await run.states()
        #expect(cases(states) == ["none", "error"])
        #expect(message(states.last)?.contains("secret") == false)
    }

    @Test func `an answer that is cut within a character leaves the character out`() {
        var answer = HTTPAnswer()
        answer.body = Data("aé".utf8.prefix(2))
        answer.size = 3
        #expect(answer.text(limit: 2) == "a")
        answer.body = Data("aé".utf8)
        #expect(answer.text(limit: 3) == "aé", "the last character of a whole answer is left out")
        answer.body = Data([0, 1, 2])
        #expect(answer.text(limit: 2) == "")
        // What came whole is shown whole, also where it ends in a character of several bytes.
        answer.body = Data("aé".utf8)
        #expect(answer.text(limit: 2) == "a" && answer.text(limit: 3) == "aé" && answer.text(limit: 9) == "aé")
        answer.body = Data("abc".utf8)
        answer.size = 5
        #expect(answer.text(limit: 3) == "abc")
    }
}

struct Unexpected: Error {}
