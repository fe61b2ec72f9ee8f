import Testing
import WeirFlows
import WeirOperations
import WeirStates

@testable import WeirStandard

@Suite(.timeLimit(.minutes(15)))
struct GreetingTests {
    private func greeting(_ url: String?) -> Greeting {
        Greeting(.init(url: { url }), environment: OperationEnvironment(clock: ManualClock()))
    }

    // G1
    @Test func `a greeting goes from none through loading to success`() async throws {
        let server = try await LoopbackServer.answering("Hello, Ada!")
        let run = try Watched(greeting(server.url + "hello"), GreetingInput(label: "Ada"))
        #expect(await run.states() == [.none, .loading, .success(greeting: "Hello, Ada!")])
    }

    // G1
    @Test func `a service that is not there makes an error that says where nobody listens`() async throws {
        let port = LoopbackServer.deadPort
        let run = try Watched(greeting("http://127.0.0.1:\(port)/"), GreetingInput(label: "Ada"))
        let states = await run.states()
        #expect(states.prefix(2) == [.none, .loading])
        #expect(
            states.last
                == .error(
                    message: "Connection refused: nothing listens at 127.0.0.1 port \(port). "
                        + "Check the port, and that the service runs."))
    }

    @Test func `the label arrives as it was written, whatever is in it`() async throws {
        let server = try await LoopbackServer.answering("ok")
        let run = try Watched(greeting(server.url + "hello?lang=en"), GreetingInput(label: "a+b & <c>/é\n"))
        _ = await run.states()
        #expect(
            server.requests.value.first?.hasPrefix(
                "GET /hello?lang=en&label=a%2Bb%20%26%20%3Cc%3E%2F%C3%A9%0A HTTP/1.1\r\n") == true)
    }

    @Test func `a service that answers 500 makes an error with the status`() async throws {
        let server = try await LoopbackServer.answering(status: "500 Internal Server Error", "no")
        let run = try Watched(greeting(server.url), GreetingInput(label: "Ada"))
        #expect(await run.states().last == .error(message: "The server answered 500 Internal Server Error."))
    }

    @Test func `an address that is not known yet is an error that says to wait`() async throws {
        let run = try Watched(greeting(nil), GreetingInput(label: "Ada"))
        #expect(
            await run.states().last
                == .error(message: "The address of the greeting service is not known yet. Try again soon."))
    }

    // G2
    @Test func `cancelling a greeting that hangs ends it as cancelled`() async throws {
        let server = try await LoopbackServer { _, _ in .stay("") }
        let run = try Watched(greeting(server.url), GreetingInput(label: "Ada"))
        _ = await server.requests.first { !$0.isEmpty }
        run.run.cancel(.actor("the test"))
        #expect(await run.states() == [.none, .loading, .cancelled])
    }

    @Test func `control characters of the service do not get through`() async throws {
        let server = try await LoopbackServer.answering("\u{1B}[2JHi\u{202E}\u{0}")
        let run = try Watched(greeting(server.url), GreetingInput(label: "Ada"))
        #expect(await run.states().last == .success(greeting: "[2JHi"))
    }
}
