import CInstallation
import Foundation

/// Examines the clock: against the files of the data folder, the server, itself, and the machine's time service.
struct ClockCheck {
    /// The wall clock and the monotonic clock at the same moment.
    struct Watch {
        let wall = Date()
        let uptime = ContinuousClock.now

        /// How much more time has passed by the wall clock, in seconds.
        var drift: Double {
            let passed = uptime.duration(to: .now).components
            return Date().timeIntervalSince(wall) - Double(passed.seconds) - Double(passed.attoseconds) / 1e18
        }
    }

    private static let jump = 0.5
    private static let future: TimeInterval = 60

    let folder: DataFolder
    let watch: Watch
    /// How far the server's clock is ahead, in milliseconds; nil if it does not answer.
    let serverSkew: Int64?

    func findings() -> [Finding] {
        var findings = [zones(), past(), server(), jumps()].compactMap(\.self)
        if cinstallation_clock_is_synchronized() == 0 {
            findings.append(
                Finding(
                    "clock", .warning, "No time service keeps this machine's clock right.",
                    remedy: "Run one, such as chrony or systemd-timesyncd: timedatectl set-ntp true"))
        }
        return findings.isEmpty ? [Finding("clock", .good, "The clock is right, and time zones are known.")] : findings
    }

    static func skewed(by milliseconds: Int64, from other: String) -> Finding {
        let seconds = Double(milliseconds.magnitude) / 1_000
        let direction = milliseconds > 0 ? "behind" : "ahead of"
        return Finding(
            "clock", .failure, "This machine's clock is \(String(format: "%.1f", seconds)) s \(direction) \(other).",
            remedy: "Set both clocks by a time service: timedatectl set-ntp true")
    }

    private func zones() -> Finding? {
        let summer = Date(timeIntervalSince1970: 1_752_537_600)
        let zone = TimeZone(identifier: "America/New_York")
        guard zone?.secondsFromGMT(for: summer) == -14_400 else {
            return Finding(
                "clock", .failure, "Time zones are not known, so schedules with a time zone cannot be followed.",
                remedy: "Install them: apt-get install tzdata")
        }
        return nil
    }

    /// Files from the future show that the clock was set back, or is wrong now.
    private func past() -> Finding? {
        let names = ["journal.sqlite", "journal.sqlite-wal", "access.sqlite", "settings.json", "server.json"]
        let dates = names.compactMap { name in
            let path = folder.url.appending(path: name).path
            return try? FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
        }
        guard let newest = dates.max(), newest.timeIntervalSince(watch.wall) > Self.future else { return nil }
        return Finding(
            "clock", .failure,
            "The clock says \(watch.wall.formatted(.iso8601)), and files of the data folder are of "
                + "\(newest.formatted(.iso8601)).",
            remedy: "Set the clock right before the server starts: its times would lie before recorded ones.")
    }

    private func server() -> Finding? {
        guard let serverSkew, serverSkew.magnitude > Doctor.tolerableSkew else { return nil }
        return Self.skewed(by: serverSkew, from: "the server's")
    }

    private func jumps() -> Finding? {
        let drift = watch.drift
        guard abs(drift) > Self.jump else { return nil }
        return Finding(
            "clock", .failure, "The clock was moved by \(String(format: "%.1f", drift)) s while this command ran.",
            remedy: "Let one time service set the clock, and let it adjust the speed instead of the time.")
    }
}
