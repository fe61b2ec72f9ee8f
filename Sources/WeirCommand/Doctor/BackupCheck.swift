import Foundation
import WeirBoards
import WeirJournals
import WeirStates

/// Examines when the last backup was made, and whether the next one can be.
struct BackupCheck {
    /// The age from which on a backup without a schedule is reported, in milliseconds.
    private static let oldAge: Int64 = 7 * 86_400_000

    let settings: Settings
    let folder: DataFolder
    var now = Timestamp(Date())

    func findings() -> [Finding] { [last(), target()].compactMap(\.self) }

    private func last() -> Finding {
        let record = BackupRecord.read(in: folder)
        if let problem = record.problem {
            return Finding(
                "backup", .failure, "The last backup failed. \(problem)",
                remedy: "Correct the cause, then run: weir backup FILE")
        }
        let how = "Set backup.schedule and backup.folder, or run: weir backup FILE"
        guard let made = record.made else {
            return Finding("backup", .warning, "No backup was ever made.", remedy: how)
        }
        let schedule = settings.text("backup.schedule").flatMap {
            try? Schedule(cron: $0, timezone: settings.text("timezone"))
        }
        if let due = schedule?.upcoming(after: made, count: 2).last, due < now {
            return Finding(
                "backup", .failure, "The schedule has passed twice since the last backup, which is of \(made).",
                remedy: "Look in the log for the reason. The server must run at the times of backup.schedule.")
        }
        if schedule == nil, now - made > Self.oldAge {
            return Finding("backup", .warning, "The last backup is of \(made).", remedy: how)
        }
        let size = record.bytes.map { ", \(ChangeText.bytes($0))" } ?? ""
        let tried = record.isVerified == true ? ", and was restored for a trial" : ""
        return Finding("backup", .good, "The last backup is of \(made)\(size)\(tried).")
    }

    private func target() -> Finding? {
        guard let path = settings.text("backup.folder") else { return nil }
        let place = URL(filePath: path).nearestExisting
        guard !place.isWritableFolder else { return nil }
        return Finding(
            "backup", .failure, "The folder of backup.folder, \(path), cannot be made or written by this user.",
            remedy: "Give it to the server's user. In a service of systemd, add it to ReadWritePaths.")
    }
}
