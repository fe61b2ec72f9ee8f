package import WeirJournals

extension Schedule {
    /// Times are known from 1900 to 9999; what lies beyond counts as one of these.
    private static let known: ClosedRange<Int64> = -2_208_988_800...253_402_300_799

    /// The first time after a moment; nil if there is none.
    ///
    /// It is not delayed.
    package func next(after moment: Timestamp) -> Timestamp? {
        let seconds = Self.seconds(moment)
        let next =
            switch timing {
            case .cron(let clock): clock.next(after: seconds)
            case .every(let interval): (seconds.floorDivided(by: interval).quotient + 1) * interval
            }
        return next.flatMap { Self.known.contains($0) ? Timestamp(milliseconds: $0 * 1_000) : nil }
    }

    /// The next times after a moment, in order.
    package func upcoming(after moment: Timestamp, count: Int) -> [Timestamp] {
        var times: [Timestamp] = []
        while times.count < count, let next = next(after: times.last ?? moment) { times.append(next) }
        return times
    }

    /// The newest times after a moment and up to another, oldest first, up to a limit.
    package func newest(after: Timestamp, through: Timestamp, limit: Int) -> [Timestamp] {
        let (after, through) = (Self.seconds(after), Self.seconds(through))
        guard after < through, limit > 0 else { return [] }
        let times: [Int64]
        switch timing {
        case .cron(let clock): times = clock.newest(after: after, through: through, limit: limit)
        case .every(let interval):
            let (first, last) = (
                after.floorDivided(by: interval).quotient + 1, through.floorDivided(by: interval).quotient
            )
            times = first > last ? [] : (max(first, last - Int64(limit) + 1)...last).map { $0 * interval }
        }
        return times.map { Timestamp(milliseconds: $0 * 1_000) }
    }

    /// What the clock on the wall of the schedule's zone shows at a moment, as if it were UTC.
    package func wallClock(at moment: Timestamp) -> Timestamp {
        moment.after(zone.offset(at: Self.seconds(moment)) * 1_000)
    }

    /// Whether it is an interval, which has no zone.
    package var isInterval: Bool {
        if case .every = timing { true } else { false }
    }

    /// How much later something starts than its time, in milliseconds: the same whenever it is asked.
    ///
    /// - Parameters:
    ///   - time: One of the schedule's times.
    ///   - id: What is started.
    /// - Returns: From 0 to ``randomDelay``.
    package func delay(of time: Timestamp, for id: String) -> Int64 {
        guard randomDelay > 0 else { return 0 }
        // FNV-1a, and the last step of SplitMix64, so that neighbouring times are far apart.
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in Array(id.utf8) + [0] + bytes(of: time) {
            hash = (hash ^ UInt64(truncatingIfNeeded: byte)) &* 0x100_0000_01b3
        }
        hash = (hash ^ hash >> 30) &* 0xbf58_476d_1ce4_e5b9
        hash = (hash ^ hash >> 27) &* 0x94d0_49bb_1331_11eb
        return Int64(clamping: (hash ^ hash >> 31) % (UInt64(clamping: randomDelay) + 1))
    }

    /// The time as eight bytes.
    private func bytes(of time: Timestamp) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: time.milliseconds >> (8 * $0)) }
    }

    private static func seconds(_ moment: Timestamp) -> Int64 {
        let seconds = moment.milliseconds.floorDivided(by: 1_000).quotient
        return min(max(seconds, known.lowerBound), known.upperBound)
    }
}
