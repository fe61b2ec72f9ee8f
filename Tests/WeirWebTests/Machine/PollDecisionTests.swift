import Testing
import WeirJournals

@testable import WeirWeb

struct PollDecisionTests {
    private let wall: Int64 = 1_790_000_000_000
    private let slots = PollSlots(feed: "board")
    private var current: Int64 { slots.slot(at: wall) }

    private func decide(
        _ kind: PollRequest.Kind, head: SequenceNumber = 10, floor: SequenceNumber = 4, isClosed: Bool = false,
        isShared: Bool = false, wall: Int64? = nil
    ) -> PollDecision {
        PollDecision(
            PollRequest(feed: "board", kind),
            feedStatus: .init(epoch: "e", head: head, floor: floor, isClosed: isClosed, isShared: isShared),
            wall: wall ?? self.wall)
    }

    private func tail(_ sequence: SequenceNumber, _ slot: Int64, epoch: String = "e") -> PollRequest.Kind {
        .tail(epoch: epoch, sequence: sequence, slot: slot)
    }

    // Protocol test 3
    @Test func `an old slot is answered at once, a far one refused whatever else it asks`() {
        #expect(decide(tail(10, current - 1)) == .nothing)
        #expect(decide(tail(10, 0)) == .nothing)
        #expect(decide(tail(10, current + 2)) == .farSlot)
        #expect(decide(tail(5, current + 2)) == .farSlot)
        #expect(decide(tail(10, .max, epoch: "x")) == .farSlot)
    }

    // Protocol test 5
    @Test func `no hold is longer than a slot, at any moment of it`() {
        for offset in 0..<PollSlots.length {
            let now = wall + offset
            let slot = slots.slot(at: now)
            guard case .hold(let time) = decide(tail(10, slot), wall: now),
                case .hold(let next) = decide(tail(10, slot + 1), wall: now)
            else {
                Issue.record("was not held")
                return
            }
            #expect((1...PollSlots.length).contains(time))
            // No longer than the rest of its slot: whoever comes late in it is told at its end, not a slot later.
            #expect(slots.slot(at: now + time) == slot + 1)
            #expect(slots.slot(at: now + time - 1) == slot)
            #expect(next == PollSlots.length)
            #expect(slots.slot(at: now + next) == slot + 1)
        }
    }

    // Protocol test 6
    @Test func `a cursor older than what is kept is a gap, the floor itself is not`() {
        #expect(decide(tail(3, current)) == .gap(floor: 4))
        #expect(decide(.now(epoch: "e", sequence: 0)) == .gap(floor: 4))
        #expect(decide(.now(epoch: "e", sequence: 4)) == .behind)
        #expect(decide(tail(4, current)) == .behind)
    }

    // Protocol tests 7 and 8
    @Test func `another epoch and a cursor ahead start over`() {
        #expect(decide(tail(10, current, epoch: "x")) == .otherEpoch)
        #expect(decide(.now(epoch: "x", sequence: 99)) == .otherEpoch)
        #expect(decide(tail(11, current)) == .future)
        #expect(decide(.now(epoch: "e", sequence: 11)) == .future)
    }

    @Test func `a reader who is ahead of a server that shares its journal waits until it has come as far`() {
        #expect(decide(tail(11, current), isShared: true) == .ahead)
        #expect(decide(.now(epoch: "e", sequence: 11), isShared: true) == .ahead)
        #expect(decide(tail(11, current, epoch: "x"), isShared: true) == .otherEpoch)
        #expect(decide(tail(9, current), isShared: true) == .behind)
    }

    @Test func `what has ended tells so only to those who have seen the end`() {
        #expect(decide(tail(10, current), isClosed: true) == .ended)
        #expect(decide(.now(epoch: "e", sequence: 10), isClosed: true) == .ended)
        #expect(decide(tail(9, current), isClosed: true) == .behind)
    }

    @Test func `a catch-up is never held`() {
        #expect(decide(.now(epoch: "e", sequence: 10)) == .nothing)
        #expect(decide(.now(epoch: "e", sequence: 9)) == .behind)
    }

    @Test func `slots of different feeds end at different moments`() {
        let phases = Set((0..<100).map { PollSlots(feed: "run-\($0)").phase })
        #expect(phases.count > 90)
        #expect(phases.allSatisfy { (0..<PollSlots.length).contains($0) })
    }
}
