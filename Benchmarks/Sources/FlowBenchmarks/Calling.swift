import OpenCombine
import WeirFlows

extension Report {
    /// One write and what it takes to call so many callbacks.
    func calling(subscribers: Int) async {
        let flow = MutableStateFlow(0)
        let subject = CurrentValueSubject<Int, Never>(0)
        let counter = Counter()
        let ours = (0..<subscribers).map { _ in flow.subscribe(.conflated) { counter.sum &+= $0 } }
        let peers = (0..<subscribers).map { _ in subject.sink { counter.sum &+= $0 } }
        await row(
            "callback delivery to \(subscribers)",
            [
                Contender("Flows") { for value in 0..<$0 { flow.value = value & 1 } },
                Contender("OpenCombine") { for value in 0..<$0 { subject.send(value & 1) } },
            ])
        withExtendedLifetime((ours, peers)) {}
    }
}

/// What the callbacks write to, all on one thread.
final class Counter: @unchecked Sendable {
    var sum = 0
}
