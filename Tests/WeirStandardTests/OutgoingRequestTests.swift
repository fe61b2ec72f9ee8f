import Foundation
import Testing
import WeirFlows
import WeirOperations
import WeirStates

@testable import WeirStandard

/// Where requests really go, over loopback.
@Suite(.timeLimit(.minutes(15))) struct OutgoingRequestTests {
    /// Gives one answer after another, and counts the questions.
    private final class ChangingNames: NameResolver {
        private let answers: [[String]]
        let asked = MutableStateFlow(0)

        init(_ answers: [[String]]) { self.answers = answers }

        func addresses(of host: String) async throws -> [String] {
            let number = asked.update { $0 + 1 }.old
            return answers[min(number, answers.count - 1)]
        }
    }

    private func request(
        _ resolver: any NameResolver = FixedNames(names: [:]), allowing: [String] = [], ownPort: Int? = nil
    ) -> HTTPRequestOperation {
        HTTPRequestOperation(
            environment: OperationEnvironment(
                clock: ManualClock(passes: { $0 < .seconds(5) }), random: { 0.5 }, resolver: resolver,
                outgoing: OutgoingPolicy(allowing: allowing.compactMap(OutgoingAllowance.init)) { ownPort }))
    }

    /// All that is told of a run: its states and its lines.
    private func told(_ operation: HTTPRequestOperation, _ input: HTTPRequestInput) async throws -> (
        states: [HTTPRequestState], all: String
    ) {
        let printed = Printed()
        let seen = MutableStateFlow<[HTTPRequestState]>([])
        let place = Locked<FlowSubscription?>(nil)
        let run = try OperationRunner(operation).start(input) { run in
            run.print(to: printed)
            let subscription = run.state.subscribe(.lossless) { state in seen.mutate { $0.append(state) } }
            place.withLock { $0 = subscription }
        }
        _ = await run.outcome()
        place.withLock { $0 }?.cancel()
        return (seen.value, printed.lines.joined(separator: "\n") + seen.value.map { "\($0)" }.joined(separator: "\n"))
    }

    private func redirect(to place: String) async throws -> LoopbackServer {
        try await LoopbackServer.answering(status: "302 Found", "", headers: "Location: \(place)\r\n")
    }

    // S5
    @Test(arguments: ["127.0.0.1", "[::1]", "0.0.0.0", "[::ffff:127.0.0.1]", "[::]", "127.0.0.9"])
    func `by default nothing on this machine is reached, and no connection is made`(host: String) async throws {
        let server = try await LoopbackServer.answering("Hello")
        let states = try await Watched(request(), HTTPRequestInput(url: "http://\(host):\(server.port)/", attempts: 3))
            .states()
        #expect(states.cases == ["none", "error"])
        #expect(states.last?.message?.contains("leads to this machine") == true)
        #expect(states.last?.message?.contains("http-request.allow") == true)
        #expect(server.requests.value.isEmpty)
    }

    // S5
    @Test(arguments: ["0", "127.1", "2130706433", "0x7f.1", "0x7f000001", "localhost"])
    func `a spelling that only the system's resolver understands is judged by what it leads to`(host: String)
        async throws
    {
        let server = try await LoopbackServer.answering("Hello")
        let input = HTTPRequestInput(url: "http://\(host):\(server.port)/")
        let states = try await Watched(request(SystemNameResolver()), input).states()
        #expect(states.last?.phase == .failed && server.requests.value.isEmpty)
    }

    // S5
    @Test func `the address that was judged is the one connected to, whatever names lead to a moment later`()
        async throws
    {
        let server = try await LoopbackServer { number, _ in
            number == 1 ? .reset("") : .answer(LoopbackServer.http("Hello"))
        }
        let names = ChangingNames([["127.0.0.1"], ["127.0.0.2"]])
        let input = HTTPRequestInput(url: "http://rebind.test:\(server.port)/", attempts: 5)
        let states = try await Watched(request(names, allowing: ["127.0.0.1"]), input).states()
        #expect(names.asked.value == 2, "a name is looked up once for each attempt")
        #expect(server.requests.value.count == 1)
        #expect(states.last?.message?.contains("leads to this machine") == true)
    }

    // S5
    @Test func `of several addresses only those are tried that requests may reach`() async throws {
        let server = try await LoopbackServer.answering("Hello")
        let names = FixedNames(names: ["both.test": ["10.0.0.1", "169.254.169.254", "127.0.0.1"]])
        let input = HTTPRequestInput(url: "http://both.test:\(server.port)/")
        let (states, all) = try await told(request(names, allowing: ["127.0.0.1"]), input)
        #expect(states.cases.last == "success")
        #expect(!all.contains("10.0.0.1") && !all.contains("169.254"), "addresses of a private network are told")
    }

    // S5
    @Test(arguments: [
        "http://127.0.0.2:1/", "http://169.254.169.254/latest/", "//10.0.0.1/", "http://[::1]/", "http://0/",
    ])
    func `a redirect is judged as the first request is`(place: String) async throws {
        let server = try await redirect(to: place)
        let names = FixedNames(names: ["0": ["0.0.0.0"]])
        let states = try await Watched(
            request(names, allowing: ["127.0.0.1"]), HTTPRequestInput(url: server.url, attempts: 2)
        ).states()
        #expect(states.last?.message?.contains("http-request.allow") == true)
        #expect(server.requests.value.count == 1, "a refusal is no reason to try again")
    }

    // S1
    @Test(arguments: ["http://127.0.0.1:99999/", "http://localhost:65536/", "//127.0.0.1:70000", "http://a:0/"])
    func `a redirect to a port that does not exist is an error`(place: String) async throws {
        let server = try await redirect(to: place)
        let states = try await Watched(request(allowing: ["127.0.0.1"]), HTTPRequestInput(url: server.url)).states()
        #expect(states.last?.message == "This URL has a port that does not exist. Ports go from 1 to 65535.")
    }

    // S1
    @Test(arguments: ["http://127.0.0.1:65536/", "http://localhost:99999/"])
    func `a request to a port that does not exist is an error`(url: String) async throws {
        let states = try await Watched(request(allowing: ["127.0.0.1", "localhost"]), HTTPRequestInput(url: url))
            .states()
        #expect(states.cases == ["none", "error"])
    }

    // S7
    @Test func `a redirect that lets somebody in is refused, and shown nowhere`() async throws {
        for place in ["http://bob:SECRET@127.0.0.1/", "//bob:SECRET@127.0.0.1/"] {
            let server = try await redirect(to: place)
            let (states, all) = try await told(request(allowing: ["127.0.0.1"]), HTTPRequestInput(url: server.url))
            #expect(states.last?.message?.hasPrefix("This URL contains a user name or password") == true)
            #expect(!all.contains("SECRET") && all.contains("< Location:"))
        }
        for place in [
            "http:/bob:SECRET@x/", "http:bob:SECRET@127.0.0.1/", "http:\\\\bob:SECRET@127.0.0.1\\",
            "\\\\bob:SECRET@127.0.0.1\\", "http://bob:SECRET%40127.0.0.1/",
        ] {
            let server = try await redirect(to: place)
            let (states, all) = try await told(request(allowing: ["127.0.0.1"]), HTTPRequestInput(url: server.url))
            #expect(states.cases.last == "error" && !all.contains("SECRET"), "\(place)")
            #expect(all.contains("< Location:"))
        }
        let found = try await LoopbackServer.answering(
            status: "201 Created", "", headers: "Location: http://bob:SECRET@127.0.0.1/\r\n")
        let (states, all) = try await told(request(allowing: ["127.0.0.1"]), HTTPRequestInput(url: found.url))
        #expect(states.cases.last == "success" && !all.contains("SECRET") && all.contains("http://…@127.0.0.1/"))
    }

    // S5
    @Test func `the server itself is reached only where host and port are allowed`() async throws {
        let server = try await LoopbackServer.answering("Hello")
        let input = HTTPRequestInput(url: server.url)
        let refused = try await Watched(request(allowing: ["0.0.0.0/0", "127.0.0.1"], ownPort: server.port), input)
            .states()
        #expect(refused.last?.message?.contains("is this server itself") == true && server.requests.value.isEmpty)
        let allowed = request(allowing: ["127.0.0.1:\(server.port)"], ownPort: server.port)
        #expect(try await Watched(allowed, input).states().cases.last == "success")
    }

    // S5
    @Test func `feeds and greetings ask the address that is set, even of this server, but follow it nowhere else`()
        async throws
    {
        let target = try await LoopbackServer.answering(#"{"people": []}"#)
        let server = try await redirect(to: target.url)
        func environment(_ port: Int) -> OperationEnvironment {
            OperationEnvironment(
                clock: ManualClock(), now: { Date(timeIntervalSince1970: 0) }, outgoing: OutgoingPolicy { port })
        }
        let direct = PeopleInSpace(.init(url: target.url), environment: environment(target.port))
        guard case .success? = try await Watched(direct, NoInput()).states().last else { throw Unexpected() }
        let indirect = PeopleInSpace(.init(url: server.url), environment: environment(1))
        guard case .error(let message)? = try await Watched(indirect, NoInput()).states().last else {
            throw Unexpected()
        }
        #expect(message.contains("leads to this machine") && target.requests.value.count == 1)
        let greeting = Greeting(.init(url: { target.url }), environment: environment(target.port))
        guard case .success? = try await Watched(greeting, GreetingInput(label: "Ada")).states().last else {
            throw Unexpected()
        }
    }

    // S5
    @Test func `what a request sends stays at its origin: a redirect to another is the answer`() async throws {
        let target = try await LoopbackServer.answering("Hello")
        let server = try await redirect(to: target.url)
        let environment = OperationEnvironment(
            clock: ManualClock(passes: { $0 < .seconds(5) }),
            outgoing: OutgoingPolicy(allowing: ["127.0.0.1"].compactMap(OutgoingAllowance.init)) { nil })
        let request = OutgoingRequest(
            "POST", server.url, headers: [HeaderField("X-Key", "SECRET")], body: "SECRET", timeout: .seconds(30),
            environment: environment)
        let answer = try await request.send(output: .discarding) { _ in }
        #expect(answer.status == 302)
        #expect(target.requests.value.isEmpty, "another server is given what was meant for the first")
    }

    @Test func `lengths and numbers of a hostile peer end in a state`() async throws {
        for header in ["-5", "99999999999999999999", "9223372036854775807", "NaN", "5, 6"] {
            let server = try await LoopbackServer { _, _ in
                .answer("HTTP/1.1 200 OK\r\nContent-Length: \(header)\r\nRetry-After: 1e300\r\n\r\nab")
            }
            let states = try await Watched(request(allowing: ["127.0.0.1"]), HTTPRequestInput(url: server.url)).states()
            #expect(states.last?.phase.isEnded == true)
        }
    }
}
