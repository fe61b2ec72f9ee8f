import Testing

@testable import WeirOperations

@Suite struct ReentryMachineTests {
    // G3
    @Test func `a queued run that has begun holds up those after it, as the first one did`() {
        var machine = ReentryMachine<Int>(.queue)
        #expect(machine.start(1) == .begin(replacing: []))
        #expect(machine.start(2) == .wait(replacing: []) && machine.start(3) == .wait(replacing: []))
        #expect(machine.workReturned(1) == 2)
        #expect(machine.unended == [2, 3])
        #expect(machine.start(4) == .wait(replacing: []), "a second run goes beside one that was queued")
        #expect(machine.workReturned(2) == 3)
        #expect(machine.workReturned(3) == 4)
        #expect(machine.workReturned(4) == nil)
        #expect(machine.start(5) == .begin(replacing: []))
    }

    // G3
    @Test func `a run that has ended but whose work goes on holds up the queue, and is joined by nobody`() {
        var queue = ReentryMachine<Int>(.queue)
        _ = queue.start(1)
        #expect(queue.end(1) == false)
        #expect(queue.start(2) == .wait(replacing: []))
        #expect(queue.end(2) == true, "a run that waits is over once it is ended")
        #expect(queue.workReturned(1) == nil)
        var join = ReentryMachine<Int>(.joinExisting)
        _ = join.start(1)
        #expect(join.start(2) == .join(1))
        #expect(join.end(1) == false)
        #expect(join.start(3) == .begin(replacing: []))
    }

    // G3
    @Test func `a run that replaces one that stops slowly begins when that one's work has returned`() {
        var machine = ReentryMachine<Int>(.cancelPrevious, waitsForReplaced: true)
        #expect(machine.start(1) == .begin(replacing: []))
        #expect(machine.start(2) == .wait(replacing: [1]))
        #expect(machine.start(3) == .wait(replacing: [1, 2]))
        #expect(machine.end(2) == true, "a run that waits and is replaced never begins")
        #expect(machine.workReturned(1) == 3)
        #expect(machine.workReturned(3) == nil)
        #expect(machine.start(4) == .begin(replacing: []))
    }

    // G3
    @Test func `in any order of starts and ends a queue runs one at a time, in order, and leaves nobody out`() {
        for seed in UInt64(0)..<100 {
            var state = seed
            func random(_ bound: UInt64) -> UInt64 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return (state >> 33) % bound
            }
            var machine = ReentryMachine<Int>(.queue)
            var going: Int?
            var waiting: [Int] = []
            for token in 0..<200 {
                if random(2) == 0 {
                    let decision = machine.start(token)
                    #expect(decision == (going == nil ? .begin(replacing: []) : .wait(replacing: [])))
                    if going == nil { going = token } else { waiting.append(token) }
                } else if random(4) == 0, let left = waiting.last {
                    #expect(machine.end(left) == true)
                    waiting.removeLast()
                } else if let current = going {
                    if random(2) == 0 { #expect(machine.end(current) == false) }
                    let next = machine.workReturned(current)
                    #expect(next == waiting.first)
                    going = next
                    if next != nil { waiting.removeFirst() }
                }
            }
        }
    }

    @Test func `a run that its starter sees in its end state counts as ended before the machine is told`() {
        for policy in [ReentryPolicy.joinExisting, .ignore, .cancelPrevious] {
            var machine = ReentryMachine<Int>(policy)
            _ = machine.start(1)
            #expect(machine.start(2) { $0 == 1 } == .begin(replacing: []))
        }
    }
}
