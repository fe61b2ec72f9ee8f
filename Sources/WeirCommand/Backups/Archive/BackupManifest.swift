import Foundation
import WeirAccess
import WeirJournals
import WeirStates

/// The last part of a backup: what it contains, with the hash of each other part.
struct BackupManifest: Codable, Sendable, Hashable {
    struct Part: Codable, Sendable, Hashable {
        let name: String
        let bytes: Int64
        let sha256: String
    }

    struct Access: Codable, Sendable, Hashable {
        var users: Int64 = 0
        var tokens: Int64 = 0
    }

    struct Audit: Codable, Sendable, Hashable {
        let entries: Int64
        let head: String
        /// The number of faults that the audit had when the backup was made.
        let faults: Int

        init(_ verification: AuditVerification) {
            entries = verification.entries
            head = verification.head
            faults = verification.faults.count
        }
    }

    static let name = "manifest.json"
    static let format = 1
    static let largest = 256 << 20

    var format = Self.format
    /// The version of Weir that made the backup.
    var weir: String
    var created: Timestamp
    var machine: String
    /// Where the journal was kept: `sqlite`, `memory` or `postgresql`.
    var journalPlace: String
    var journal: JournalInspection?
    var access: Access?
    /// The number of messages that had not been sent.
    var waitingMessages: Int64?
    var audit: Audit?
    var parts: [Part] = []

    /// Decodes a manifest; throws `StartError` if it is not one that this version reads.
    init(json: [UInt8]) throws(StartError) {
        do {
            let value = try JSONValue(parsing: Data(json))
            if let format = value["format"]?.integer, format > Self.format {
                throw StartError.malformed("The backup was made by a newer Weir. Use that version.")
            }
            self = try value.decode(Self.self)
        } catch let error as StartError {
            throw error
        } catch {
            throw .malformed("The backup is damaged: its list of parts cannot be read.")
        }
    }

    init(weir: String, created: Timestamp, machine: String, journalPlace: String) {
        (self.weir, self.created, self.machine, self.journalPlace) = (weir, created, machine, journalPlace)
    }
}

/// The name of a part, which is its path in a data folder, and cannot lead out of it.
struct BackupName: Hashable, Sendable {
    static let files = ["journal.sqlite", "access.sqlite", "deliveries.sqlite", "secrets.json", "settings.json"]
    /// The folders with parts: the audit, uploaded files, and the settings and operation files.
    static let folders = ["audit", "archive", "configuration"]
    private static let deepest = 32

    let text: String

    /// Nil for any other file or folder, and for a path that is absolute, has a step upwards or a control character.
    init?(_ text: String) {
        let steps = text.split(separator: "/", omittingEmptySubsequences: false)
        let isPlain = steps.allSatisfy { step in
            !step.isEmpty && step != "." && step != ".." && step.utf8.count <= 255
                && step.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
        }
        guard isPlain, text.utf8.count < TarHeader.longestName, steps.count <= Self.deepest, let first = steps.first,
            steps.count == 1 ? Self.files.contains(text) : Self.folders.contains(String(first))
        else { return nil }
        self.text = text
    }

    func url(in folder: URL) -> URL {
        text.split(separator: "/").reduce(folder) { $0.appending(path: String($1), directoryHint: .notDirectory) }
    }
}
