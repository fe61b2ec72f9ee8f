import Flows
import OpenCombine

extension Report {
    /// One write and what it takes to call so many callbacks.
    func calling(subscribers: Int) {
        guard includes("callback") else { return }
        let count = max(100, count(1_000_000) / subscribers)
        let flow = MutableStateFlow(0)
        let subject = CurrentValueSubject<Int, Never>(0)
        let counter = Counter()
        let ours = (0..<subscribers).map { _ in flow.subscribe(.conflated) { counter.sum &+= $0 } }
        let peers = (0..<subscribers).map { _ in subject.sink { counter.sum &+= $0 } }
        row(
            "callback delivery to \(subscribers)",
            [
                ("Flows", nanoseconds(count) { for value in 0..<$0 { flow.value = value } }),
                ("OpenCombine", nanoseconds(count) { for value in 0..<$0 { subject.send(value) } }),
            ])
        withExtendedLifetime((ours, peers)) {}
    }

    /// What a subscriber of each kind takes.
    func memory() {
        guard includes("memory") else { return }
        var kept: [Any] = []
        let flow = MutableStateFlow(0)
        let subject = CurrentValueSubject<Int, Never>(0)
        if let ours = bytesEach(100_000, &kept, { flow.subscribe(.conflated) { _ in } }),
            let peer = bytesEach(100_000, &kept, { subject.sink { _ in } })
        {
            row("memory of a callback subscriber", unit: "B", [("Flows", ours), ("OpenCombine", peer)])
        }
        if let ours = bytesEach(100_000, &kept, { flow.makeAsyncIterator() }),
            let peer = bytesEach(100_000, &kept, { AsyncStream<Int>.makeStream(bufferingPolicy: .bufferingNewest(1)) })
        {
            row("memory of an iterator", unit: "B", [("Flows", ours), ("AsyncStream", peer)])
        }
    }
}

/// What the callbacks write to, all on one thread.
final class Counter: @unchecked Sendable {
    var sum = 0
}
