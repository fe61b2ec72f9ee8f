import Foundation

@testable import Schedules

/// Debian's cron, minute by minute, as cron(8) describes it: the simplest thing that is right, to compare with.
///
/// It keeps a virtual time beside that of the wall clock, and looks each minute at how far they are apart.
struct CronDaemon {
    let expression: CronExpression
    let zone: TimeZone

    /// The real minutes, in seconds since 1970, in which a job runs, from one up to another.
    func minutes(from first: Int64, to last: Int64) -> [Int64] {
        var virtual = local(first - 60)
        return stride(from: first, to: last, by: 60).filter { real in
            let wall = local(real)
            let apart = wall - virtual
            switch apart {
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
        }
    }

    private func local(_ real: Int64) -> Int64 { (real + zone.offset(at: real)) / 60 }

    private func matches(_ minute: Int64) -> Bool {
        expression.minute.contains(minute % 60) && expression.hour.contains(minute / 60 % 24)
            && expression.matches(day: minute / 1_440)
    }
}
