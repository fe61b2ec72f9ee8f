import Dispatch
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOEmbedded
import Testing
import TestSupport

@testable import WeirWeb

@Suite(.timeLimit(.minutes(15)))
struct PacedAnswerTests {
    @Test func `a piece of an answer is written once the connection has come to the one before, however busy it is`()
        async throws
    {
        let channel = NIOAsyncTestingChannel()
        let context = DashboardContext(source: .init(channel: channel, logger: Logger(label: "test")))
        let written = Shared(0)
        let answer = Response(
            status: .ok,
            body: ResponseBody { writer in
                for _ in 0..<3 { try await writer.write(ByteBuffer(repeating: 0, count: 10)) }
                try await writer.finish(nil)
            })
        let hasTime = DispatchSemaphore(value: 0)
        channel.testingEventLoop.execute { hasTime.wait() }
        let writing = Task { try await answer.paced(on: context).body.write(CountingWriter(written: written)) }
        try await until { written.value >= 10 }
        // Time in which a task that did not wait would go on.
        for _ in 0..<100 { await Task.yield() }
        #expect(written.value == 10)
        hasTime.signal()
        try await writing.value
        #expect(written.value == 30)
    }
}
