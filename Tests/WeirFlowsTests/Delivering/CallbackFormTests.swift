import Testing
import WeirFlows

@Suite(.timeLimit(.minutes(15))) struct CallbackFormTests {
    struct Broken: Error, Equatable {}

    /// Gives some numbers, then throws if it has something to throw.
    struct Numbers: AsyncSequence, Sendable {
        typealias Element = Int
        typealias Failure = any Error

        let count: Int
        var failure: Broken?

        struct AsyncIterator: AsyncIteratorProtocol {
            var given = 0
            let numbers: Numbers

            mutating func next() async throws -> Int? {
                if given == numbers.count {
                    if let failure = numbers.failure { throw failure }
                    return nil
                }
                given += 1
                return given
            }
        }

        func makeAsyncIterator() -> AsyncIterator { AsyncIterator(numbers: self) }
    }

    private func trace(_ numbers: some AsyncSequence<Int, any Error> & Sendable) async -> [String] {
        let scope = FlowScope()
        let seen = Seen<String>()
        let subscription = numbers.subscribe(in: scope) {
            seen.add("\($0)")
        } onComplete: {
            seen.add("complete")
        } onThrow: {
            seen.add("throw \($0)")
        }
        await scope.join()
        subscription.cancel()
        return seen.all
    }

    // H6
    @Test func `it ends with exactly one of complete and throw`() async {
        #expect(await trace(Numbers(count: 2)) == ["1", "2", "complete"])
        #expect(await trace(Numbers(count: 2, failure: Broken())) == ["1", "2", "throw Broken()"])
    }

    // H6
    @Test func `after a cancel it ends with neither`() async {
        for cancelsScope in [true, false] {
            let scope = FlowScope()
            let flow = MutableStateFlow(0)
            let seen = Seen<String>()
            let subscription = flow.subscribe(in: scope) {
                seen.add("\($0)")
            } onComplete: {
                seen.add("complete")
            } onThrow: { _ in
                seen.add("throw")
            }
            _ = await seen.count(atLeast: 1)
            if cancelsScope { scope.cancel() } else { subscription.cancel() }
            flow.value = 1
            flow.finish()
            await scope.join()
            #expect(seen.all == ["0"])
            subscription.cancel()
        }
    }

    @Test func `a sealed flow completes`() async {
        let scope = FlowScope()
        let flow = MutableStateFlow(0)
        let seen = Seen<String>()
        let subscription = flow.subscribe(in: scope) {
            seen.add("\($0)")
        } onComplete: {
            seen.add("complete")
        }
        _ = await seen.count(atLeast: 1)
        flow.seal(with: 1)
        #expect(await seen.count(atLeast: 3) == ["0", "1", "complete"])
        subscription.cancel()
    }
}
