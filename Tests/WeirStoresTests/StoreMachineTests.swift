import Testing

@testable import WeirStores

@Suite struct StoreMachineTests {
    private func step(_ number: Int) -> QueuedStep<Int, Int> {
        QueuedStep(kind: .action(number), cause: nil, context: nil, settlement: Settlement())
    }

    private func number(_ step: QueuedStep<Int, Int>?) -> Int? {
        guard case .action(let number) = step?.kind else { return nil }
        return number
    }

    // I1
    @Test func `one thread takes the steps until none is left, whoever brings more meanwhile`() {
        var machine = StoreMachine<Int, Int>()
        let first = [machine.enqueue(step(1)), machine.enqueue(step(2))]
        let taken = [number(machine.next()), number(machine.next())]
        // What the second step brings is its thread's too.
        let more = machine.enqueue(step(3))
        let rest = [number(machine.next()), number(machine.next())]
        let later = machine.enqueue(step(4))
        #expect(first == [true, false] && taken == [1, 2])
        #expect(!more && rest == [3, nil])
        #expect(later)
    }
}
