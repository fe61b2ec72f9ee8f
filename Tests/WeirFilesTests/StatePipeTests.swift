import Foundation
import Testing
import TestSupport
import WeirFlows
@testable import WeirFiles

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The end of a pipe of states that another program still holds open.
@Suite(.timeLimit(.minutes(15)))
struct StatePipeTests {
    private let clock = VirtualClock()

    @Test func `what was reported is read although its reader is slow, and then nobody is waited for any more`()
        async throws
    {
        let pipe = try #require(await StatePipe.make(in: FileManager.default.temporaryDirectory))
        let elsewhere = open(pipe.path, O_WRONLY)
        defer { close(elsewhere) }
        var splitter = LineSplitter()
        #expect(write(elsewhere, "a\n", 2) == 2)
        #expect(await pipe.next(&splitter) == ["a"])
        #expect(write(elsewhere, "b\n", 2) == 2)
        pipe.finish()
        let patience = Task { [clock] in try await pipe.giveUp(after: .seconds(1), on: clock) }
        // Whoever reads is busy with what it has read.
        for _ in 0..<3 {
            _ = await clock.sleepers.first { $0 == 1 }
            clock.advance(by: .seconds(1))
        }
        _ = await clock.sleepers.first { $0 == 1 }
        #expect(await pipe.next(&splitter) == ["b"])
        let isOver = Locked(false)
        let rest = Task {
            var splitter = LineSplitter()
            defer { isOver.withLock { $0 = true } }
            return await pipe.next(&splitter)
        }
        try await until({ isOver.withLock { $0 } }, otherwise: { clock.advance(by: .seconds(1)) })
        #expect(await rest.value == nil)
        try await patience.value
    }
}
