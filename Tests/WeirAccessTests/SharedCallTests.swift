import Synchronization
import Testing
import TestSupport

@testable import WeirAccess

@Suite(.timeLimit(.minutes(15))) struct SharedCallTests {
    /// Calls that do not end before a test lets them.
    private final class Calls: Sendable {
        private let state = Mutex((begun: 0, isOpen: false))
        private let call = SharedCall()

        var begun: Int { state.withLock { $0.begun } }
        func open() { state.withLock { $0.isOpen = true } }

        func ask(atMost patience: Duration = .seconds(300)) async {
            await call.run(atMost: patience) { [self] in
                state.withLock { $0.begun += 1 }
                try? await until { state.withLock { $0.isOpen } }
            }
        }
    }

    @Test func `many who ask while a call goes on share one that begins after it`() async throws {
        let (calls, order) = (Calls(), InOrder())
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await calls.ask() }
            try await until { calls.begun > 0 }
            for _ in 0..<20 { group.addTask(executorPreference: order) { await calls.ask() } }
            // By then each of them has asked.
            await withCheckedContinuation { (asked: CheckedContinuation<Void, Never>) in
                order.afterwards { asked.resume() }
            }
            #expect(calls.begun == 1)
            calls.open()
        }
        #expect(calls.begun == 2)
    }

    @Test func `nobody waits for long for a call that does not end`() async throws {
        let calls = Calls()
        await calls.ask(atMost: .milliseconds(1))
        // The patience may have ended before the call began, which the next one would share.
        try await until { calls.begun == 1 }
        calls.open()
        await calls.ask()
        #expect(calls.begun == 2)
    }
}
