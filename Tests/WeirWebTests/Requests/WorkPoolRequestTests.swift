import Dispatch
import HTTPTypes
import NIOCore
import TestSupport
import Testing
import WeirFlows
import WeirStates

@testable import WeirWeb

@Suite(.timeLimit(.minutes(15))) struct WorkPoolRequestTests {
    @Test func `a request whose work finds no room is told to come back`() async throws {
        let (pool, block) = (WorkPool(threads: 1, room: 0), DispatchSemaphore(value: 0))
        let started = AsyncStream.makeStream(of: Void.self)
        async let first: Void = pool.answer {
            started.continuation.yield()
            block.wait()
        }
        var begun = started.stream.makeAsyncIterator()
        await begun.next()
        let problem = await #expect(throws: Problem.self) { try await pool.answer { 1 } }
        #expect(problem?.status == .serviceUnavailable)
        #expect(problem?.kind == "overloaded")
        #expect(problem?.headers[.retryAfter] != nil)
        block.signal()
        try await first
    }

    @Test(arguments: [10, 100_000])
    func `a mistake in a body is named by its place, whether the body is small or large`(spaces: Int) async throws {
        let body = ByteBuffer(string: String(repeating: " ", count: spaces) + "{]")
        let problem = await #expect(throws: Problem.self) {
            try await body.read { (bytes) throws(Problem) in try JSONValue(body: bytes) }
        }
        #expect(problem?.detail.contains("column \(spaces + 2)") == true)
    }

    @Test func `a form of very many fields is refused with a sentence`() throws {
        let fields = { (count: Int) in ByteBuffer(string: String(repeating: "a=1&", count: count - 1) + "a=1") }
        let most = try FormFields(body: fields(10_000))
        #expect(most.fields.count == 10_000)
        let problem = #expect(throws: Problem.self) { try FormFields(body: fields(10_001)) }
        #expect(problem?.status == .badRequest)
        #expect(problem?.detail == "The form has more than 10000 fields. Send fewer, or send JSON.")
    }
}
