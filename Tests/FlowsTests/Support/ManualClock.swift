import Flows

/// A clock whose time passes only when a test says so.
final class ManualClock: Clock, Sendable {
    struct Instant: InstantProtocol {
        var offset: Duration

        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private let time = MutableStateFlow(Instant(offset: .zero))
    private let sleepers = MutableStateFlow(0)

    var now: Instant { time.value }
    let minimumResolution = Duration.zero

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        var times = time.values(.conflated).makeAsyncIterator()
        sleepers.update { $0 + 1 }
        defer { sleepers.update { $0 - 1 } }
        while let time = await times.next() {
            if time >= deadline { return }
        }
        throw CancellationError()
    }

    /// Lets time pass.
    func advance(by duration: Duration) {
        time.update { $0.advanced(by: duration) }
    }

    /// Waits until exactly so many are asleep.
    func sleeping(_ count: Int) async {
        _ = await sleepers.first { $0 == count }
    }
}
