import WeirFlows

extension Report {
    /// A million states written while a lossless subscriber does not look, then read.
    func backlog() async {
        let count = 1_000_000
        await row(
            "backlog of \(count), written and read, each",
            [
                Contender("Flows") {
                    await once(count) {
                        let flow = MutableStateFlow(-1)
                        var values = flow.values(.lossless).makeAsyncIterator()
                        for value in 0..<count { flow.value = value }
                        for _ in 0...count { _ = await values.next(isolation: nil) }
                    }
                },
                Contender("AsyncStream") {
                    await once(count) {
                        let (stream, continuation) = AsyncStream<Int>.makeStream()
                        var values = stream.makeAsyncIterator()
                        for value in 0..<count { continuation.yield(value) }
                        for _ in 0..<count { _ = await values.next(isolation: nil) }
                    }
                },
            ])
    }

    private func once(_ count: Int, _ work: () async -> Void) async -> Double {
        let clock = ContinuousClock()
        let start = clock.now
        await work()
        return (clock.now - start) / .nanoseconds(1) / Double(count)
    }
}
