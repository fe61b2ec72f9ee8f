import Testing
import WeirJournals

@testable import WeirWeb

struct WaitListMachineTests {
    @Test func `a change lets those go who wait for it, and nobody twice`() {
        var machine = WaitListMachine<Int>(head: 10, now: 0)
        guard case .held(let first) = machine.enter(1, after: 10, until: 5_000, known: 10, now: 0),
            case .held(let second) = machine.enter(2, after: 10, until: 5_000, known: 10, now: 0)
        else {
            Issue.record("were not held")
            return
        }
        #expect(first != second)
        let releases = machine.published(11, now: 100)
        #expect(releases.map(\.waiter).sorted() == [1, 2])
        #expect(releases.allSatisfy { $0.outcome == .published && $0.after == 10 })
        #expect(machine.count == 0)
        #expect(machine.published(12, now: 200).isEmpty)
        #expect(machine.leave(first, now: 200) == nil)
        #expect(machine.count == 0)
    }

    @Test func `nothing is looked at before the time of those who wait for a change that has not come`() {
        var machine = WaitListMachine<Int>(head: 10, now: 0)
        _ = machine.enter(1, after: 10, until: 5_000, known: 10, now: 4_000)
        #expect(machine.nextWake == 5_000)
        #expect(machine.wake(now: 4_999).isEmpty)
        #expect(machine.wake(now: 5_000).map(\.outcome) == [.expired])
    }

    @Test func `somebody who comes after the change does not wait`() {
        var machine = WaitListMachine<Int>(head: 10, now: 0)
        #expect(machine.enter(1, after: 10, until: 5_000, known: 11, now: 0) == .pass(head: 11))
        #expect(machine.count == 0)
    }

    @Test func `somebody who must wait although the change has come is released at once`() {
        var machine = WaitListMachine<Int>(head: 10, now: 0)
        let entry = machine.enter(1, after: 10, until: 5_000, known: 11, mustWait: true, now: 100)
        guard case .held = entry else {
            Issue.record("was not held")
            return
        }
        #expect(machine.nextWake == 100)
        let releases = machine.wake(now: 100)
        #expect(releases.map(\.waiter) == [1])
        #expect(releases.map(\.outcome) == [.published])
    }

    @Test func `somebody who leaves while the server shuts down is not released`() {
        var machine = WaitListMachine<Int>(head: 0, now: 0)
        let entries = (0..<20).map { machine.enter($0, after: 0, until: 9_000, known: 0, now: 0) }
        machine.drain(spread: 1_200, seed: 3, now: 100)
        guard case .held(let id) = entries[7] else {
            Issue.record("was not held")
            return
        }
        #expect(machine.leave(id, now: 100) == 7)
        #expect(machine.count == 19)
        #expect(machine.wake(now: 1_300).map(\.waiter).sorted() == Array(0..<20).filter { $0 != 7 })
    }

    // Protocol test 10
    @Test func `a thousand changes in a tenth of a second are three answers at most to one who follows`() {
        var machine = WaitListMachine<Int>(head: 0, now: 0)
        var cursor: SequenceNumber = 0
        var answers = 0
        var isHeld = false
        func poll(_ now: Int64) {
            while !isHeld {
                switch machine.enter(1, after: cursor, until: now + 13_000, known: machine.head, now: now) {
                case .pass(let head):
                    answers += 1
                    cursor = head
                case .held: isHeld = true
                case .draining, .ended: Issue.record("nothing drains or ends")
                }
            }
        }
        func take(_ releases: [WaitListMachine<Int>.Release], _ now: Int64) {
            guard !releases.isEmpty else { return }
            answers += 1
            cursor = machine.head
            isHeld = false
            poll(now)
        }
        poll(0)
        for change in 1...1_000 {
            let now = Int64(change - 1) / 10
            take(machine.published(SequenceNumber(clamping: change), now: now), now)
            if machine.nextWake <= now { take(machine.wake(now: now), now) }
        }
        #expect(answers <= 2)
        take(machine.wake(now: machine.nextWake), 100)
        #expect(answers <= 3)
        #expect(cursor == 1_000)
    }

    @Test func `a lone change is told at once, the next one within fifty milliseconds of it`() {
        var machine = WaitListMachine<Int>(head: 0, now: 0)
        _ = machine.enter(1, after: 0, until: 9_000, known: 0, now: 1_000)
        #expect(machine.published(1, now: 1_000).count == 1)
        _ = machine.enter(1, after: 1, until: 9_000, known: 1, now: 1_001)
        #expect(machine.published(2, now: 1_010).isEmpty)
        #expect(machine.nextWake == 1_050)
        #expect(machine.wake(now: 1_049).isEmpty)
        #expect(machine.wake(now: 1_050).count == 1)
    }

    @Test func `one who follows and comes back behind a change does not wait when the fifty milliseconds are over`() {
        var machine = WaitListMachine<Int>(head: 0, now: 0)
        _ = machine.enter(1, after: 0, until: 9_000, known: 0, now: 1_000)
        #expect(machine.published(1, now: 1_000).count == 1)
        #expect(machine.published(2, now: 1_010).isEmpty)
        #expect(machine.enter(1, after: 1, until: 9_000, known: 2, now: 1_050) == .pass(head: 2))
    }

    @Test func `an older change that is heard of late takes nothing from those who wait for a newer one`() {
        var machine = WaitListMachine<Int>(head: 0, now: 0)
        _ = machine.enter(1, after: 0, until: 9_000, known: 0, now: 0)
        #expect(machine.published(1, now: 0).count == 1)
        _ = machine.enter(2, after: 1, until: 9_000, known: 1, now: 1)
        #expect(machine.published(2, now: 10).isEmpty)
        #expect(machine.published(1, now: 20).isEmpty)
        #expect(machine.head == 2)
        // Else a page shows the change only at the end of its slot.
        #expect(machine.nextWake == 50)
        #expect(machine.wake(now: 50).map(\.waiter) == [2])
    }

    @Test func `somebody who missed the last release does not wait for the next`() {
        var machine = WaitListMachine<Int>(head: 0, now: 0)
        _ = machine.enter(1, after: 0, until: 9_000, known: 0, now: 0)
        _ = machine.published(1, now: 0)
        #expect(machine.enter(2, after: 0, until: 9_000, known: 1, now: 10) == .pass(head: 1))
    }

    // Protocol test 5
    @Test func `a deadline ends the waiting without a change`() {
        var machine = WaitListMachine<Int>(head: 3, now: 0)
        _ = machine.enter(1, after: 3, until: 400, known: 3, now: 0)
        _ = machine.enter(2, after: 3, until: 900, known: 3, now: 0)
        #expect(machine.nextWake == 400)
        let first = machine.wake(now: 400)
        #expect(first.map(\.waiter) == [1])
        #expect(first.map(\.outcome) == [.expired])
        #expect(machine.nextWake == 900)
    }

    @Test func `one who waits for a later change than the head stays when others go`() {
        var machine = WaitListMachine<Int>(head: 3, now: 0)
        _ = machine.enter(1, after: 3, until: 9_000, known: 3, now: 0)
        _ = machine.enter(2, after: 4, until: 9_000, known: 3, now: 0)
        #expect(machine.published(4, now: 100).map(\.waiter) == [1])
        #expect(machine.published(5, now: 200).map(\.waiter) == [2])
    }

    @Test func `the end of a topic lets those go at once who have read all of it, and nobody waits there again`() {
        var machine = WaitListMachine<Int>(head: 3, now: 0)
        _ = machine.enter(1, after: 3, until: 9_000, known: 3, now: 0)
        let releases = machine.published(3, isEnded: true, now: 10)
        #expect(releases.map(\.outcome) == [.ended])
        #expect(machine.enter(2, after: 3, until: 9_000, known: 3, now: 20) == .ended)
        #expect(machine.enter(3, after: 2, until: 9_000, known: 3, now: 20) == .pass(head: 3))
        #expect(machine.count == 0)
    }

    @Test func `an end that comes with something new is heard with it`() {
        var machine = WaitListMachine<Int>(head: 3, now: 0)
        _ = machine.enter(1, after: 3, until: 9_000, known: 3, now: 0)
        #expect(machine.published(4, isEnded: true, now: 100).map(\.outcome) == [.published])
        // Right after that release, what is new is due fifty milliseconds later, as always.
        _ = machine.enter(2, after: 4, until: 9_000, known: 5, isEnded: false, now: 110)
        #expect(machine.wake(now: 150).map(\.outcome) == [.published])
    }

    @Test func `an interruption lets those go who fit, and the others wait on`() {
        var machine = WaitListMachine<Int>(head: 3, now: 0)
        for waiter in 1...3 { _ = machine.enter(waiter, after: 3, until: 9_000, known: 3, now: 0) }
        let releases = machine.release(now: 100) { $0 != 2 ? .interrupted : nil }
        #expect(releases.map(\.waiter).sorted() == [1, 3])
        #expect(releases.allSatisfy { $0.outcome == .interrupted })
        #expect(machine.count == 1)
        #expect(machine.published(4, now: 200).map(\.waiter) == [2])
        #expect(machine.release(now: 300) { _ in .interrupted }.isEmpty)
    }

    // Protocol test 12
    @Test func `draining lets everybody go within its time, and nobody in afterwards`() {
        var machine = WaitListMachine<Int>(head: 3, now: 0)
        for waiter in 0..<100 { _ = machine.enter(waiter, after: 3, until: 13_000, known: 3, now: 0) }
        machine.drain(spread: 1_600, seed: 7, now: 1_000)
        var gone: [Int] = []
        for now in stride(from: Int64(1_000), through: 2_600, by: 100) {
            let releases = machine.wake(now: now)
            #expect(releases.allSatisfy { $0.outcome == .drained })
            #expect(releases.count < 50)
            gone += releases.map(\.waiter)
        }
        #expect(gone.sorted() == Array(0..<100))
        #expect(machine.enter(1, after: 3, until: 9_000, known: 3, now: 2_700) == .draining)
    }

    @Test func `an empty place is kept for those who come back, then given up`() {
        var machine = WaitListMachine<Int>(head: 0, now: 0)
        guard case .held(let id) = machine.enter(1, after: 0, until: 9_000, known: 0, now: 100) else {
            Issue.record("was not held")
            return
        }
        #expect(machine.leave(id, now: 200) == 1)
        #expect(!machine.isIdle(now: 2_199))
        #expect(machine.isIdle(now: 2_200))
        #expect(machine.nextWake == 2_200)
    }

    // Protocol test 2
    @Test func `in a million interleavings nobody sleeps while there is something to tell`() {
        var random = SeededGenerator(seed: 42)
        var steps = 0
        while steps < 1_000_000 {
            var machine = WaitListMachine<SequenceNumber>(head: 0, now: 0)
            var now: Int64 = 0
            var head: SequenceNumber = 0
            // The head as somebody read it a while ago, and whether a change has not been told here yet.
            var known: SequenceNumber = 0
            var isUntold = false
            var held: [WaitListMachine<SequenceNumber>.ID] = []
            for _ in 0..<100 {
                steps += 1
                switch random.next() % 6 {
                case 0:
                    head = head.next
                    isUntold = true
                case 1:
                    known = head
                case 2:
                    let after = random.next() % 2 == 0 ? known : known.previous
                    let entry = machine.enter(after, after: after, until: now + 13_000, known: known, now: now)
                    if case .held(let id) = entry { held.append(id) }
                case 3:
                    _ = machine.published(head, now: now)
                    isUntold = false
                case 4:
                    now += Int64(random.next() % 60)
                    if machine.nextWake <= now { _ = machine.wake(now: now) }
                default:
                    if let id = held.randomElement(using: &random) { _ = machine.leave(id, now: now) }
                }
                let late = machine.sleeping.filter { $0 < head }
                if !isUntold, !late.isEmpty, machine.nextWake > now + machine.quiet {
                    Issue.record("\(late.count) sleep after \(late) with head \(head)")
                    return
                }
            }
        }
    }
}
