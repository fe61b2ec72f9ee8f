import Foundation
import GRDB
import Journals

/// Opens a journal's file: makes it, brings it to the newest format, or says why neither can be.
struct JournalFile {
    let path: String
    let configuration: SQLiteJournal.Configuration

    private var damageMark: String { path + "-damaged" }

    /// The connections and the epoch.
    ///
    /// Throws `DatabaseError` or `JournalError`.
    func open(now: Timestamp, makeEpoch: () -> String) throws -> (pool: DatabasePool, epoch: String) {
        try checkHeader()
        let pool = try DatabasePool(path: path, configuration: settings)
        do {
            if configuration.durability == .power, configuration.access == .writing {
                // After the pool is there, as making it sets a weaker one.
                try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
            }
            let epoch =
                try configuration.access == .writing
                ? pool.write { try prepare($0, now: now, makeEpoch: makeEpoch) } : pool.read { try check($0) }
            try checkIfSuspected(pool)
            return (pool, epoch)
        } catch {
            try pool.close()
            throw error
        }
    }

    /// How many bytes it has on the disk, with the log beside it.
    func size() throws -> Int64 {
        try ["", "-wal"].map { path + $0 }.filter(FileManager.default.fileExists(atPath:)).reduce(0) { sum, path in
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            return sum + ((attributes[.size] as? NSNumber)?.int64Value ?? 0)
        }
    }

    /// Renames the file and its companions; tells the new name.
    func setAside(now: Timestamp) throws -> String {
        let stamp = now.description.filter { $0.isLetter || $0.isNumber }
        let target = "\(path).damaged-\(stamp)"
        for suffix in ["", "-wal", "-shm"] where FileManager.default.fileExists(atPath: path + suffix) {
            try FileManager.default.moveItem(atPath: path + suffix, toPath: target + suffix)
        }
        try forgetSuspicion()
        return URL(fileURLWithPath: target).lastPathComponent
    }

    /// Remembers that damage was met, so that the next opening looks at the whole file.
    func suspect() {
        _ = FileManager.default.createFile(atPath: damageMark, contents: nil)
    }

    private func forgetSuspicion() throws {
        guard FileManager.default.fileExists(atPath: damageMark) else { return }
        try FileManager.default.removeItem(atPath: damageMark)
    }

    /// Knows a file that is no database at all before SQLite does, which would remove what lies beside it.
    private func checkHeader() throws {
        // One that is not there will be made, and one that may not be read is SQLite's to refuse.
        guard let file = FileHandle(forReadingAtPath: path) else { return }
        let header = try file.read(upToCount: 16) ?? Data()
        try file.close()
        guard header.isEmpty || header == Data("SQLite format 3\u{0}".utf8) else {
            throw DatabaseError(resultCode: .SQLITE_NOTADB, message: "the file does not begin as a database does")
        }
    }

    private func checkIfSuspected(_ pool: DatabasePool) throws {
        guard configuration.access == .writing, FileManager.default.fileExists(atPath: damageMark) else { return }
        let verdict = try pool.read { try SQLStatement($0, "PRAGMA quick_check(1)").first { $0.text(0) } }
        guard verdict == "ok" else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: verdict) }
        try forgetSuspicion()
    }

    private var settings: GRDB.Configuration {
        let configuration = configuration
        var settings = GRDB.Configuration()
        settings.label = "journal"
        settings.busyMode = .timeout(Double(configuration.busyTimeout) / 1_000)
        settings.readonly = configuration.access == .reading
        settings.foreignKeysEnabled = false
        settings.prepareDatabase { database in
            guard !database.configuration.readonly else {
                // Enough for the upper levels of the index of words, which every search goes through.
                return try database.execute(sql: "PRAGMA cache_size = -8000; \(RunTextIndex.vocabulary)")
            }
            // Before the first table: afterwards it would have no effect.
            try database.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
            try database.execute(sql: "PRAGMA cache_size = -32000")
            if let bytes = configuration.maximumBytes {
                let size = try Int64.fetchOne(database, sql: "PRAGMA page_size") ?? 4_096
                try database.execute(sql: "PRAGMA max_page_count = \(max(1, bytes / size))")
            }
            try database.execute(sql: RunTextIndex.vocabulary)
        }
        return settings
    }

    // MARK: The format

    private func prepare(_ database: Database, now: Timestamp, makeEpoch: () -> String) throws -> String {
        let isNew =
            try database.schema(is: 0)
            && SQLStatement(database, "SELECT count(*) FROM sqlite_schema")
                .first { $0.integer(0) } == 0
        if isNew {
            try database.execute(sql: "PRAGMA application_id = \(JournalSchema.applicationID)")
        } else {
            try checkFormat(database)
        }
        let version = try database.journalVersion()
        for migration in JournalSchema.migrations.dropFirst(version) { try database.execute(sql: migration) }
        if version < JournalSchema.version {
            try database.execute(sql: "PRAGMA user_version = \(JournalSchema.version)")
        }
        if isNew {
            try SQLStatement(database, "INSERT INTO journal (only, epoch, created, head) VALUES (1, ?, ?, 0)")
                .run(makeEpoch(), now.milliseconds)
        }
        return try epoch(database)
    }

    private func check(_ database: Database) throws -> String {
        try checkFormat(database)
        guard try database.journalVersion() == JournalSchema.version else {
            throw JournalError(
                .unavailable, "The journal is of an older format. Let the server open it once, which brings it up.")
        }
        return try epoch(database)
    }

    private func checkFormat(_ database: Database) throws {
        guard try database.schema(is: JournalSchema.applicationID) else {
            throw JournalError(
                .unavailable, "The file is a database of another program, not a journal. Name another file.")
        }
        guard try database.journalVersion() <= JournalSchema.version else {
            throw JournalError(
                .tooNew, "The journal was written by a newer Weir. Use that version, or another data folder.")
        }
    }

    private func epoch(_ database: Database) throws -> String {
        guard let epoch = try SQLStatement(database, "SELECT epoch FROM journal").first(read: { $0.text(0) }) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the journal has no epoch")
        }
        // A look at the newest change meets damage at the end of the file, where a crash would have left it.
        _ = try ChangeReader(database).last(1, of: .board, through: .max)
        return epoch
    }
}

extension Database {
    fileprivate func schema(is applicationID: Int64) throws -> Bool {
        try SQLStatement(self, "PRAGMA application_id").first { $0.integer(0) } == applicationID
    }

    fileprivate func journalVersion() throws -> Int {
        Int(try SQLStatement(self, "PRAGMA user_version").first { $0.integer(0) } ?? 0)
    }
}
