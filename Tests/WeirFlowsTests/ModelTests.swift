import Testing
import TestSupport
import WeirFlows

/// The flow held against a naive model of it: replay 1, drop oldest, drop equal ones.
@Suite(.timeLimit(.minutes(15))) struct ModelTests {
    private struct Reader {
        var iterator: StateValues<Int>.Iterator
        var expected: [Int]
        var policy: DeliveryPolicy
        var last: Int?
    }

    // C7
    @Test func `ten thousand random steps agree with a naive model`() async {
        var random = SeededGenerator(seed: 20_260_126)
        let flow = MutableStateFlow(0)
        var current = 0
        var readers: [Reader] = []
        for _ in 0..<10_000 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0 where readers.count < 12:
                let policies: [DeliveryPolicy] = [
                    .conflated, .lossless, .buffered(3, onOverflow: .dropOldest), .buffered(3, onOverflow: .dropNewest),
                ]
                let policy = policies[Int.random(in: 0..<4, using: &random)]
                readers.append(
                    Reader(iterator: flow.values(policy).makeAsyncIterator(), expected: [current], policy: policy))
            case 1 where !readers.isEmpty:
                readers.remove(at: Int.random(in: 0..<readers.count, using: &random))
            case 2...5 where !readers.isEmpty:
                let index = Int.random(in: 0..<readers.count, using: &random)
                guard !readers[index].expected.isEmpty else { continue }
                let expected = readers[index].expected.removeFirst()
                readers[index].last = expected
                let value = await readers[index].iterator.next()
                #expect(value == expected)
            default:
                let new = Int.random(in: 0..<4, using: &random)
                flow.value = new
                guard new != current else { continue }
                current = new
                for index in readers.indices { Self.offer(new, to: &readers[index]) }
            }
        }
        #expect(flow.subscriptionCount.value == readers.count)
    }

    private static func offer(_ value: Int, to reader: inout Reader) {
        switch reader.policy {
        case .lossless: reader.expected.append(value)
        case .conflated: reader.expected = reader.last == value ? [] : [value]
        case .buffered(let limit, onOverflow: .dropOldest):
            reader.expected = (reader.expected + [value]).suffix(limit)
        case .buffered(let limit, _):
            reader.expected = Array((reader.expected + [value]).prefix(limit))
        }
    }
}
