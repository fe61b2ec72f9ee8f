import Testing

@testable import WeirWeb

/// Who is there is known from held polls alone, and whoever asks again in time was never gone.
struct PresenceTests {
    private let clock = ManualClock()
    private let ana = Visitor(store: "release", identity: "ana", name: "Ana")
    private let rui = Visitor(store: "release", identity: "rui", name: "Rui")
    private let eva = Visitor(store: "release", identity: "eva", name: "Eva")

    /// The stores that were announced so far, in order.
    private func presence() -> (Presence, Shared<[String]>) {
        let presence = Presence(clock: clock)
        let told = Shared<[String]>([])
        presence.onChange { store in told.value.append(store) }
        return (presence, told)
    }

    @Test func `each sees the others in the order of their arrival, and not themselves`() {
        let (presence, _) = presence()
        let visits = [presence.arrive(rui), presence.arrive(ana), presence.arrive(eva)]
        #expect(presence.others(than: ana) == ["Rui", "Eva"])
        #expect(presence.others(than: rui) == ["Ana", "Eva"])
        #expect(presence.others(than: Visitor(store: "other", identity: "ana", name: "Ana")) == [])
        _ = visits
    }

    @Test func `an arrival is announced once, to everybody who is there`() {
        let (presence, told) = presence()
        let first = presence.arrive(ana)
        clock.advance(by: 5_000)
        #expect(told.value == [])
        #expect(!first.isBehind)
        let second = presence.arrive(rui)
        #expect(first.isBehind && second.isBehind)
        clock.advance(by: Presence.delay)
        #expect(told.value == ["release"])
        #expect(presence.show(ana) == ["Rui"])
        #expect(!first.isBehind && second.isBehind)
    }

    @Test func `many arrivals within a second are few announcements`() {
        let (presence, told) = presence()
        var visits: [Visit] = []
        for number in 0..<40 {
            visits.append(presence.arrive(Visitor(store: "release", identity: "\(number)", name: "\(number)")))
            clock.advance(by: 50)
        }
        clock.advance(by: Presence.quiet)
        #expect((2...4).contains(told.value.count))
        #expect(presence.others(than: ana).count == 40)
        _ = visits
    }

    @Test func `whoever asks again in time, or has another tab, stays without an announcement`() {
        let (presence, told) = presence()
        let stays = presence.arrive(rui)
        var visit: Visit? = presence.arrive(ana)
        clock.advance(by: Presence.quiet)
        told.value = []
        for _ in 0..<5 {
            visit = nil
            clock.advance(by: PresenceMachine.grace - 1)
            visit = presence.arrive(ana)
        }
        let tab = presence.arrive(ana)
        visit = nil
        clock.advance(by: 60_000)
        #expect(told.value == [])
        #expect(presence.others(than: rui) == ["Ana"])
        _ = (visit, tab, stays)
    }

    @Test func `whoever does not come back is gone after some seconds, and the others are told`() {
        let (presence, told) = presence()
        let stays = presence.arrive(rui)
        var visit: Visit? = presence.arrive(ana)
        clock.advance(by: Presence.quiet)
        _ = presence.show(rui)
        told.value = []
        visit = nil
        clock.advance(by: PresenceMachine.grace - 1)
        #expect(presence.others(than: rui) == ["Ana"])
        clock.advance(by: 1)
        #expect(presence.others(than: rui) == [])
        #expect(stays.isBehind)
        clock.advance(by: Presence.delay)
        #expect(told.value == ["release"])
        _ = visit
    }

    @Test func `nothing is kept of a store that nobody looks at`() {
        let (presence, _) = presence()
        for number in 0..<100 { _ = presence.arrive(Visitor(store: "s\(number)", identity: "ana", name: "Ana")) }
        clock.advance(by: 2 * PresenceMachine.grace)
        #expect(clock.pending == 0)
        let others = (0..<100).flatMap { presence.others(than: Visitor(store: "s\($0)", identity: "x", name: "X")) }
        #expect(others == [])
    }

    @Test func `another name of the same person is shown to the others`() {
        let (presence, told) = presence()
        let visits = [presence.arrive(rui), presence.arrive(ana)]
        clock.advance(by: Presence.quiet)
        told.value = []
        let renamed = presence.arrive(Visitor(store: "release", identity: "ana", name: "Ana Lúcia"))
        clock.advance(by: Presence.quiet)
        #expect(told.value == ["release"])
        #expect(presence.others(than: rui) == ["Ana Lúcia"])
        _ = (visits, renamed)
    }

    @Test func `of two who leave one after the other, each is gone in their own time`() {
        var machine = PresenceMachine()
        for visitor in [ana, rui, eva] { _ = machine.arrive(visitor, now: 0) }
        #expect(machine.nextExpiry == nil)
        machine.leave(ana, now: 1_000)
        machine.leave(rui, now: 4_000)
        #expect(machine.nextExpiry == 1_000 + PresenceMachine.grace)
        #expect(machine.expire(now: 1_000 + PresenceMachine.grace) == ["release"])
        #expect(machine.others(than: eva) == ["Rui"])
        #expect(machine.nextExpiry == 4_000 + PresenceMachine.grace)
    }
}
