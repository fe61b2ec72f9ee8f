import Testing

@testable import WeirBoards

@Suite struct RingBufferTests {
    @Test func `what is put at a place that has left, or has not come, changes nothing`() {
        var ring = RingBuffer<Int>()
        for number in 0..<8 { ring.append(number) }
        ring.removeFirst()
        ring[0] = 100
        ring[8] = 100
        ring[3] = 30
        #expect((0...8).map { ring[$0] } == [nil, 1, 2, 30, 4, 5, 6, 7, nil])
    }

    @Test func `places keep their elements while the ring turns and grows`() {
        var ring = RingBuffer<Int>()
        for number in 0..<1_000 {
            ring.append(number)
            if number.isMultiple(of: 3) { #expect(ring.removeFirst() == number / 3) }
        }
        #expect(ring.start == 334 && ring.end == 1_000)
        #expect((334..<1_000).allSatisfy { ring[$0] == $0 })
        #expect(ring.firstPlace { $0 >= 700 } == 700 && ring.firstPlace { $0 > 5_000 } == 1_000)
    }
}
