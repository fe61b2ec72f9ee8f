import Flows
import OpenCombine

extension Report {
    /// Set and get, with nobody watching.
    func writing() {
        let count = count(2_000_000)
        let flow = MutableStateFlow(0)
        let subject = CurrentValueSubject<Int, Never>(0)
        if includes("set") {
            row(
                "set, nobody watches",
                [
                    ("Flows", nanoseconds(count) { for value in 0..<$0 { flow.value = value } }),
                    ("OpenCombine", nanoseconds(count) { for value in 0..<$0 { subject.send(value) } }),
                ])
        }
        if includes("get") {
            var sum = 0
            row(
                "get",
                [
                    ("Flows", nanoseconds(count) { for _ in 0..<$0 { sum &+= flow.value } }),
                    ("OpenCombine", nanoseconds(count) { for _ in 0..<$0 { sum &+= subject.value } }),
                ])
            precondition(sum != 1)
        }
    }

    /// Two tasks that write the same flow.
    func twoWriters() async {
        guard includes("two writers") else { return }
        let count = count(500_000)
        let flow = MutableStateFlow(0)
        let subject = Shared(CurrentValueSubject<Int, Never>(0))
        let ours = await nanoseconds(count) { count in
            await withTaskGroup { group in
                for writer in 0..<2 {
                    group.addTask { for value in 0..<(count / 2) { flow.value = value * 2 + writer } }
                }
            }
        }
        let peer = await nanoseconds(count) { count in
            await withTaskGroup { group in
                for writer in 0..<2 {
                    group.addTask { for value in 0..<(count / 2) { subject.value.send(value * 2 + writer) } }
                }
            }
        }
        row("two writers, each write", [("Flows", ours), ("OpenCombine", peer)])
    }
}

/// Passes a subject that does not say it is Sendable, but is.
struct Shared<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}
