import Foundation
import GRDBSQLite

extension JournalFile {
    /// The path after resolving symbolic links, since SQLite keeps the log beside the real file.
    static func resolved(_ path: String, links: Int = 8) -> String {
        guard links > 0 else { return path }
        do {
            let target = try FileManager.default.destinationOfSymbolicLink(atPath: path)
            let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
            return resolved(URL(fileURLWithPath: target, relativeTo: folder).path, links: links - 1)
        } catch { return path }
    }

    /// The name that the largest of the file and its companions gets when set aside; nil if there are none.
    func nameAside(of suffixes: [String], now: Timestamp) -> String? {
        let sizes = suffixes.compactMap { suffix -> (suffix: String, size: Int64)? in
            guard ["", "-wal"].contains(suffix) else { return nil }
            return OpenFile.status(of: path + suffix).map { (suffix, $0.size) }
        }
        let largest = sizes.max { $0.size < $1.size }
        return largest.map { URL(fileURLWithPath: pathAside(now) + $0.suffix).lastPathComponent }
    }

    /// Renames the existing ones of the file and its companions; an earlier copy of the log is kept.
    func setAside(_ suffixes: [String], now: Timestamp) throws {
        for suffix in suffixes where OpenFile.status(of: path + suffix) != nil {
            let target = pathAside(now) + suffix
            if OpenFile.status(of: target) == nil {
                try OpenFile.move(path + suffix, to: target)
            } else {
                try FileManager.default.removeItem(atPath: path + suffix)
            }
        }
        try forgetSuspicion()
    }

    private var logCopy: String { path + "-wal-copy" }

    /// Copies the log, whose beginning is overwritten on opening, if it exists and space permits.
    func copyLog() {
        forgetLog()
        guard !isEmpty(path + "-wal") else { return }
        do { try FileManager.default.copyItem(atPath: path + "-wal", toPath: logCopy) } catch { forgetLog() }
    }

    /// Sets the copy of the log aside, because it may contain changes that the file lacks; returns its name, or nil.
    func keepLog(now: Timestamp) -> String? {
        let target = pathAside(now) + "-wal"
        do { try OpenFile.move(logCopy, to: target) } catch { return nil }
        return URL(fileURLWithPath: target).lastPathComponent
    }

    /// Removes the copy of the log, including one left by a process that ended while it opened the file.
    func forgetLog() {
        do { try FileManager.default.removeItem(atPath: logCopy) } catch { _ = error }
    }

    private func pathAside(_ now: Timestamp) -> String { Self.aside(path, now) }

    static func aside(_ path: String, _ now: Timestamp) -> String {
        "\(path).damaged-\(now.description.filter { $0.isLetter || $0.isNumber })"
    }

    /// The reason to check the whole file on the next opening, by increasing severity.
    enum Suspicion: String, CaseIterable {
        /// A part of it could not be read.
        case damaged
        /// No board could be opened on it.
        case unusable
        /// Another program wrote it while it was in use, which may be why no board could be opened.
        case altered
    }

    /// The reason to check the file, or nil.
    var suspicion: Suspicion? {
        noted.map { $0.first.flatMap { Suspicion(rawValue: String($0)) } ?? .damaged }
    }

    /// The words of the file with the reason, followed for ``Suspicion/unusable`` by the state of the journal.
    private var noted: [Substring]? {
        FileManager.default.contents(atPath: damageMark).map {
            String(decoding: $0, as: UTF8.self).split(separator: " ")
        }
    }

    /// Records the reason to check the whole file on the next opening, unless a worse one is known.
    ///
    /// For ``Suspicion/unusable``, `mark` is the state of the journal.
    func suspect(_ suspicion: Suspicion, mark: JournalMark? = nil) {
        let known = self.suspicion
        guard let worst = Suspicion.allCases.last(where: { $0 == known || $0 == suspicion }), worst != known else {
            return
        }
        let text = mark.map { "\(worst.rawValue) \($0.epoch) \($0.head) \($0.writes)" } ?? worst.rawValue
        _ = FileManager.default.createFile(atPath: damageMark, contents: Data(text.utf8))
    }

    /// Whether no board could be opened on the file; false if it has since been replaced by an older state, such as a
    /// restored backup, or by another history.
    func isUnusable(_ held: History) -> Bool {
        guard suspicion == .unusable, let words = noted, words.count == 4, let head = SequenceNumber(words[2]),
            let writes = Int64(words[3])
        else { return false }
        return words[1] == held.epoch && held.head >= head && held.writes >= writes
    }

    func forgetSuspicion() throws {
        guard FileManager.default.fileExists(atPath: damageMark) else { return }
        try FileManager.default.removeItem(atPath: damageMark)
    }

    func isEmpty(_ path: String) -> Bool { (OpenFile.status(of: path)?.size ?? 0) == 0 }

    /// The number of writes that the file contains without its log; nil if that cannot be read, as in an older
    /// format.
    ///
    /// The number never decreases, so a lower one means another or an older file. Call this only while this process
    /// does not have the file open, as ``found()``.
    var writesWithoutLog: Int64? {
        var connection: OpaquePointer?
        var statement: OpaquePointer?
        defer {
            sqlite3_finalize(statement)
            sqlite3_close(connection)
        }
        guard
            sqlite3_open_v2(
                "file:\(SQLiteSnapshot.escaped(path))?immutable=1", &connection, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI,
                nil)
                == SQLITE_OK,
            sqlite3_prepare_v2(connection, "SELECT writes FROM journal", -1, &statement, nil) == SQLITE_OK,
            sqlite3_step(statement) == SQLITE_ROW
        else { return nil }
        return sqlite3_column_int64(statement, 0)
    }

    /// Detects a file that is not a database before SQLite does, which would remove its companions.
    ///
    /// Call this only while this process does not have the file open, because reading it drops SQLite's locks on it.
    func found() throws -> Found {
        guard !isEmpty(path) else { return .nothing }
        let file = try OpenFile(path: path)
        defer { file.close() }
        return try file.read(upTo: 16) == Array("SQLite format 3\u{0}".utf8) ? .database : .something
    }
}
