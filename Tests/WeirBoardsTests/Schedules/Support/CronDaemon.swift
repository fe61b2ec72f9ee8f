import Foundation

@testable import WeirBoards

/// Debian's cron, minute by minute, as cron(8) describes it: the simplest thing that is right, to compare with.
///
/// It keeps a virtual time beside that of the wall clock, and looks each minute at how far they are apart.
struct CronDaemon {
    /// What the clock on the wall shows, in minutes since 1970, at each real minute.
    private let walls: [(real: Int64, wall: Int64)]
    /// What it showed a minute before.
    private let before: Int64

    /// A daemon that runs from one time up to another, in seconds since 1970.
    init(zone: TimeZone, from first: Int64, to last: Int64) {
        let local = { (real: Int64) in (real + zone.offset(at: real)) / 60 }
        walls = stride(from: first, to: last, by: 60).map { ($0, local($0)) }
        before = local(first - 60)
    }

    /// The real minutes in which a job runs, in seconds since 1970.
    func minutes(of expression: CronExpression) -> [Int64] {
        var virtual = before
        let matches = { (minute: Int64) in
            expression.minute.contains(minute % 60) && expression.hour.contains(minute / 60 % 24)
                && expression.matches(day: minute / 1_440)
        }
        return walls.filter { _, wall in
            switch wall - virtual {
            case 1:
                virtual = wall
                return matches(wall)
            case -179...0:
                // The clock was set back: jobs at fixed times wait until it has caught up.
                return !expression.isFixed && matches(wall)
            case 2...180:
                let skipped = virtual + 1...wall
                virtual = wall
                return expression.isFixed ? skipped.contains(where: matches) : matches(wall)
            default:
                virtual = wall
                return matches(wall)
            }
        }.map(\.real)
    }
}
