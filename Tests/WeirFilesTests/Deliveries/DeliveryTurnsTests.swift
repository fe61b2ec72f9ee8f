import Testing
import WeirBoards

@testable import WeirFiles

/// Which messages are sent next, without a clock, a store or a receiver.
struct DeliveryTurnsTests {
    private typealias Head = DeliveryTurns.Head

    private func head(
        _ id: String, to receiver: String = "a:80", of operation: String = "job", rule: String = "1",
        at nextAt: Int64 = 0
    ) -> Head {
        Head(
            id: id, queue: DeliveryQueue(operation: operation, rule: rule), nextAt: nextAt, receiver: .server(receiver))
    }

    private func program(_ id: String, _ name: String) throws -> Head {
        Head(
            id: id, queue: DeliveryQueue(operation: "job", rule: name), nextAt: 0,
            receiver: .program([try PathTemplate(name)]))
    }

    @Test func `a receiver has two places, however many messages wait for it`() {
        var turns = DeliveryTurns()
        let heads = (1...60).map { head("\($0)", of: "job-\($0)", at: Int64($0)) }
        #expect(turns.begin(heads, now: 100) == ["1", "2"])
        #expect(turns.begin(heads, now: 100) == [])
        turns.end("1", wasSlow: false)
        #expect(turns.begin(Array(heads.dropFirst()), now: 100) == ["3"])
        #expect(turns.inFlight == ["2", "3"])
    }

    @Test func `messages about incidents are sent one after the other`() {
        var turns = DeliveryTurns()
        let heads = ["1", "2"].map {
            var head = head($0)
            head.isInOrder = true
            return head
        }
        #expect(turns.begin([heads[0]], now: 0) == ["1"])
        #expect(turns.begin([heads[1], head("3", of: "other")], now: 0) == ["3"])
        turns.end("1", wasSlow: false)
        #expect(turns.begin([heads[1]], now: 0) == ["2"])
    }

    @Test func `a message to another receiver has a place at once`() {
        var turns = DeliveryTurns()
        let stuck = (1...60).map { head("\($0)", of: "job-\($0)", at: Int64($0)) }
        _ = turns.begin(stuck, now: 100)
        #expect(turns.begin(stuck + [head("good", to: "b:80", at: 99)], now: 100) == ["good"])
    }

    @Test func `receivers take turns where places are short`() {
        var turns = DeliveryTurns()
        let first = (0..<DeliveryTurns.requestPlaces).map { head("first-\($0)", to: "\($0):80", at: 10) }
        #expect(turns.begin(first, now: 100).count == DeliveryTurns.requestPlaces)
        // It was due before, and its receiver has had a turn.
        let again = head("again", to: "0:80", at: 1)
        let new = head("new", to: "new:80", at: 50)
        turns.end("first-1", wasSlow: false)
        #expect(turns.begin([again, new], now: 100) == ["new"])
        turns.end("first-2", wasSlow: false)
        #expect(turns.begin([again], now: 100) == ["again"])
    }

    @Test func `the rules of a receiver take turns`() {
        var turns = DeliveryTurns()
        _ = turns.begin([head("a1", of: "busy"), head("a2", of: "busy", rule: "2")], now: 100)
        turns.end("a1", wasSlow: false)
        let heads = [head("a3", of: "busy", at: 1), head("b1", of: "quiet", at: 50)]
        #expect(turns.begin(heads, now: 100) == ["b1"])
    }

    @Test func `a message that is not due waits, and one that is being sent is not begun again`() {
        var turns = DeliveryTurns()
        #expect(turns.begin([head("1", at: 101)], now: 100) == [])
        #expect(turns.begin([head("1", at: 101)], now: 101) == ["1"])
        #expect(turns.begin([head("1", at: 101)], now: 102) == [])
    }

    @Test func `receivers that were slow share half of the places, until they are not slow`() {
        var turns = DeliveryTurns()
        let half = DeliveryTurns.requestPlaces / 2
        let heads = (0..<DeliveryTurns.requestPlaces).map { head("\($0)", to: "\($0):80") }
        for id in turns.begin(heads, now: 0) {
            turns.end(id, wasSlow: true)
        }
        let retries = turns.begin(heads, now: 0)
        #expect(retries.count == half)
        let others = (0..<half).map { head("other-\($0)", to: "other-\($0):80") }
        let waiting = heads.filter { !retries.contains($0.id) }
        #expect(turns.begin(waiting + others, now: 0).sorted() == others.map(\.id).sorted())
        for id in retries { turns.end(id, wasSlow: false) }
        #expect(turns.begin(heads, now: 0).count == half)
    }

    @Test func `an attempt in which nothing was sent says nothing about how slow a receiver is`() {
        var turns = DeliveryTurns()
        let heads = (0..<DeliveryTurns.requestPlaces).map { head("\($0)", to: "\($0):80") }
        for id in turns.begin(heads, now: 0) { turns.end(id, wasSlow: true) }
        for id in turns.begin(heads, now: 0) { turns.end(id, wasSlow: nil) }
        #expect(turns.begin(heads, now: 0).count == DeliveryTurns.requestPlaces / 2)
    }

    @Test func `programs and requests do not take each other's places`() throws {
        var turns = DeliveryTurns()
        let programs = try (0..<20).map { try program("\($0)", "p\($0)") }
        #expect(turns.begin(programs, now: 0).count == DeliveryTurns.programPlaces)
        let requests = (0..<20).map { head("request-\($0)", to: "\($0):80") }
        #expect(turns.begin(programs + requests, now: 0).count == DeliveryTurns.requestPlaces)
    }
}
