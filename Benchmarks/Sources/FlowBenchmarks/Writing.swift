import OpenCombine
import WeirFlows

extension Report {
    /// Set and get, with nobody watching.
    func writing() async {
        let flow = MutableStateFlow(0)
        let subject = CurrentValueSubject<Int, Never>(0)
        let counter = Counter()
        await row(
            "set, nobody watches",
            [
                Contender("Flows") { for value in 0..<$0 { flow.value = value } },
                Contender("OpenCombine") { for value in 0..<$0 { subject.send(value) } },
            ])
        await row(
            "get",
            [
                Contender("Flows") { for _ in 0..<$0 { counter.sum &+= flow.value } },
                Contender("OpenCombine") { for _ in 0..<$0 { counter.sum &+= subject.value } },
            ])
        precondition(counter.sum != 1)
    }

    /// Two tasks that write the same flow.
    func twoWriters() async {
        let flow = MutableStateFlow(0)
        let subject = Shared(CurrentValueSubject<Int, Never>(0))
        await row(
            "two writers, each write",
            [
                Contender("Flows") { await byTwo { flow.value = $0 } },
                Contender("OpenCombine") { await byTwo { subject.value.send($0) } },
            ])
    }

    @inline(__always)
    private func byTwo(_ write: @escaping @Sendable (Int) -> Void) async -> Double {
        await nanoseconds { count in
            await withTaskGroup { group in
                for writer in 0..<2 {
                    group.addTask { for value in 0..<count { write(value * 2 + writer) } }
                }
            }
        } / 2
    }
}

/// Passes a subject that does not say it is Sendable, but is.
struct Shared<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}
