import Foundation

/// A time during which a zone's clock goes on without a change; all in seconds since 1970.
struct ZoneSpan: Sendable, Hashable {
    /// When it begins.
    let start: Int64
    /// When the clock changes next.
    let end: Int64
    /// How far the clock is ahead of UTC.
    let offset: Int64

    /// The spans that cover a time, in order.
    ///
    /// Two changes within six hours that undo each other would be missed; no zone has had such.
    static func spans(of zone: TimeZone, from start: Int64, to end: Int64) -> [ZoneSpan] {
        var spans: [ZoneSpan] = []
        var (begin, offset) = (start, zone.offset(at: start))
        var last = start
        while last < end {
            let next = min(last + 21_600, end)
            if zone.offset(at: next) != offset {
                let change = firstChange(of: zone, from: offset, after: last, through: next)
                spans.append(ZoneSpan(start: begin, end: change, offset: offset))
                (begin, offset) = (change, zone.offset(at: change))
                last = change
            } else {
                last = next
            }
        }
        spans.append(ZoneSpan(start: begin, end: end, offset: offset))
        return spans
    }

    private static func firstChange(of zone: TimeZone, from offset: Int64, after: Int64, through: Int64) -> Int64 {
        var (same, other) = (after, through)
        while other - same > 1 {
            let middle = same + (other - same) / 2
            if zone.offset(at: middle) == offset { same = middle } else { other = middle }
        }
        return other
    }
}

extension TimeZone {
    /// How many seconds the zone's clock is ahead of UTC.
    func offset(at seconds: Int64) -> Int64 {
        Int64(clamping: secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds))))
    }
}
