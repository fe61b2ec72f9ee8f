import Foundation
import WeirAccess
import WeirJournals
import WeirStates

/// The result of restoring a backup into a temporary folder and comparing it with its manifest.
struct BackupVerification: Sendable {
    let manifest: BackupManifest
    /// What differs, as sentences; empty if the backup can be restored.
    private(set) var faults: [String] = []

    /// Restores a backup into a temporary folder beside it, or of the system; blocks on the disk.
    ///
    /// Throws `StartError` if the backup cannot be restored.
    init(_ file: String, key: BackupKey?) throws {
        let place = URL(fileURLWithPath: file)
        let isWritable = FileManager.default.isWritableFile(atPath: place.deletingLastPathComponent().path)
        let name = "\(place.lastPathComponent).trial-\(JournalEpoch.make())"
        let folder = (isWritable ? place.deletingLastPathComponent() : FileManager.default.temporaryDirectory)
            .appending(path: name, directoryHint: .isDirectory)
        defer {
            // What is left has a name that says that it is temporary.
            do { try FileManager.default.removeItem(at: folder) } catch { _ = error }
        }
        manifest = try BackupRestore(file, key: key, into: folder).restore()
        do {
            try compare(folder)
        } catch {
            faults.append("The restored files cannot be read. \(BackupMaker.words(error))")
        }
    }

    private mutating func compare(_ folder: URL) throws {
        let restored = DataFolder(folder)
        if manifest.journal != nil {
            let (found, problems) = try JournalInspection.check(path: restored.journal)
            faults += problems.map { "The journal has a fault: \($0)." }
            if found != manifest.journal { faults.append("The journal does not have what the backup says.") }
        }
        for name in ["access.sqlite", "deliveries.sqlite"] {
            let path = folder.appending(path: name).path
            guard FileManager.default.fileExists(atPath: path), !SQLiteSnapshot.isIntact(path) else { continue }
            faults.append("\(name) is damaged.")
        }
        var counted = manifest
        try counted.countRecords(in: folder)
        if counted.access != manifest.access { faults.append("The users are not those that the backup says.") }
        if counted.waitingMessages != manifest.waitingMessages {
            faults.append("The waiting messages are not those that the backup says.")
        }
        if manifest.audit != nil {
            let verification = try AuditVerification(folder: AccessFiles(restored).audit)
            if .init(verification) != manifest.audit { faults.append("The audit does not have what the backup says.") }
        }
        if FileManager.default.fileExists(atPath: restored.secrets.path) { _ = try KeptSecrets(restored.secrets).all() }
    }

    /// What the backup contains, one line each.
    var lines: [String] {
        var lines = ["made \(manifest.created) by Weir \(manifest.weir) on \(Quoted(manifest.machine))"]
        if let journal = manifest.journal {
            lines.append(
                "journal \(Quoted(journal.epoch)): \(journal.runs) runs, \(journal.changes) changes up to \(journal.head), "
                    + "\(journal.lines) lines of output")
        } else {
            lines.append("no journal: it was kept in \(Quoted(manifest.journalPlace))")
        }
        if let access = manifest.access { lines.append("\(access.users) users, \(access.tokens) tokens") }
        if let audit = manifest.audit {
            let faults = audit.faults == 0 ? "" : ", with \(audit.faults) faults that it had then"
            lines.append("audit: \(audit.entries) entries, head \(Quoted(audit.head))\(faults)")
        }
        if let waiting = manifest.waitingMessages { lines.append("\(waiting) messages wait") }
        let bytes = manifest.parts.reduce(Int64.zero) { $0.addingReportingOverflow($1.bytes).partialValue }
        lines.append("\(manifest.parts.count) files, \(ByteCount(clamping: bytes))")
        return lines
    }
}
