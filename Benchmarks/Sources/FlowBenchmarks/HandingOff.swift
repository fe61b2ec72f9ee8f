import AsyncAlgorithms
import Observation
import WeirFlows

extension Report {
    /// One value to so many tasks, each of which can be cancelled, until the last has it: all on one thread, then in a
    /// scope as anybody creates it, then on the default executor.
    ///
    /// On several threads only with `AsyncStream`: with `share()` and `Observations` beside it a round there did not always
    /// end.
    func handingOff(collectors: Int) async {
        await row(
            "hand-off to \(collectors), one thread",
            [
                Contender("Flows") { await onOneThread { await flows(collectors) } },
                Contender("AsyncStream") { await onOneThread { await streams(collectors) } },
                Contender("share()") { await onOneThread { await share(collectors) } },
                Contender("Observations") { await onOneThread { await observations(collectors) } },
            ])
        await row(
            "hand-off to \(collectors), in a scope",
            [
                Contender("Flows") { await inScope { await flows(collectors) } },
                Contender("AsyncStream") { await inScope { await streams(collectors) } },
            ])
        await row(
            "hand-off to \(collectors), default executor",
            [
                Contender("Flows") { await flows(collectors) },
                Contender("AsyncStream") { await streams(collectors) },
            ])
    }

    private func onOneThread(_ cost: () async -> Double) async -> Double {
        let executor = CollectorExecutor()
        defer { executor.close() }
        return await withTaskExecutorPreference(executor) { await cost() }
    }

    private func inScope(_ cost: @escaping @Sendable () async -> Double) async -> Double {
        let result = MutableStateFlow(0.0)
        await FlowScope().launch { result.value = await cost() }.join()
        return result.value
    }

    private func flows(_ collectors: Int) async -> Double {
        let flow = MutableStateFlow(0)
        return await run(collectors) {
            flow.value = $0
        } collect: { _, arrive in
            await flow.collect { arrive($0) }
        }
    }

    private func streams(_ collectors: Int) async -> Double {
        let streams = (0..<collectors).map { _ in AsyncStream<Int>.makeStream(bufferingPolicy: .bufferingNewest(1)) }
        return await run(collectors) { value in
            for stream in streams { stream.continuation.yield(value) }
        } collect: { number, arrive in
            arrive(0)
            for await value in streams[number].stream { arrive(value) }
        }
    }

    private func share(_ collectors: Int) async -> Double {
        let (source, continuation) = AsyncStream<Int>.makeStream()
        let shared = source.share(bufferingPolicy: .bufferingLatest(1))
        return await run(collectors) {
            continuation.yield($0)
        } collect: { _, arrive in
            var values = shared.makeAsyncIterator()
            arrive(0)
            while let value = await values.next(isolation: nil) { arrive(value) }
        }
    }

    private func observations(_ collectors: Int) async -> Double {
        let model = Model()
        return await run(collectors) {
            model.value = $0
        } collect: { _, arrive in
            for await value in Observations({ model.value }) { arrive(value) }
        }
    }

    private func run(
        _ collectors: Int, write: (Int) -> Void,
        collect: @escaping @Sendable (Int, (Int) -> Void) async -> Void
    ) async -> Double {
        let round = Round()
        return await withTaskGroup { group in
            await round.run(collectors) {
                for number in 0..<collectors {
                    group.addTask {
                        var last = -1
                        await collect(number) { value in
                            if value > last { round.arrive() }
                            last = value
                        }
                    }
                }
            }
            var value = 0
            let cost = await nanoseconds { count in
                for _ in 0..<count {
                    value += 1
                    await round.run(collectors) { write(value) }
                }
            }
            group.cancelAll()
            return cost
        }
    }
}
