import Foundation
import WeirFlows
import WeirJournals
import WeirPostgres

/// Examines the journal: its file, or its database.
struct JournalCheck {
    /// The time of a short query from which on starts are slow, in milliseconds.
    private static let slow: Int64 = 50
    /// The connections that a server opens.
    private static let connections: Int64 = 6

    let settings: Settings
    let folder: DataFolder

    func findings() async -> [Finding] {
        switch JournalPlace(settings) {
        case .memory:
            return [
                Finding(
                    "journal", .warning, "The journal is in memory, and gone when the server stops.",
                    remedy: "For a journal that stays, leave the setting journal out.")
            ]
        case .file: return await file()
        case .database(let url): return await database(url)
        }
    }

    private func file() async -> [Finding] {
        guard FileManager.default.fileExists(atPath: folder.journal) else {
            return [Finding("journal", .good, "There is no journal yet. The server makes one.")]
        }
        do {
            let path = folder.journal
            let (format, newest) = try await WorkPool.files.run { try JournalInspection.format(path: path) }
            guard format == newest else {
                return [
                    Finding(
                        "journal", .warning,
                        "The journal has format \(format). The next start migrates it to \(newest), and keeps a copy.",
                        remedy: "Make a backup first: weir backup FILE")
                ]
            }
            return [Finding("journal", .good, "The journal can be read and has the format of this version, \(format).")]
        } catch {
            return [
                Finding(
                    "journal", .failure, "The journal \(folder.journal) cannot be used. \(error)",
                    remedy: "`weir journal check` says more; `weir restore` makes a folder from a backup.")
            ]
        }
    }

    private func database(_ url: String) async -> [Finding] {
        let found: PostgresInspection
        do {
            found = try await PostgresInspection.inspect(url) { Timestamp(Date()) }
        } catch {
            return [Finding("database", .failure, (error as? JournalError)?.withCause ?? "\(error)")]
        }
        var findings: [Finding] = []
        let words = found.format.map { "tables of format \($0)" } ?? "no tables yet; the server makes them"
        findings.append(
            found.format.map { $0 < found.newestFormat } ?? false
                ? Finding(
                    "database", .warning,
                    "\(found.place) has \(words). The next start migrates them to \(found.newestFormat).",
                    remedy: "Make a dump first: pg_dump")
                : Finding("database", .good, "\(found.place) answers: PostgreSQL \(found.version), \(words)."))
        if abs(found.skew) > Doctor.tolerableSkew {
            findings.append(ClockCheck.skewed(by: found.skew, from: "the database's"))
        }
        if found.latency > Self.slow {
            findings.append(
                Finding(
                    "database", .warning,
                    "A short query takes \(found.latency) ms, which delays each start and change.",
                    remedy: "Move the database closer, or look for its load."))
        }
        if found.connections + Self.connections > found.maximumConnections {
            findings.append(
                Finding(
                    "database", .failure,
                    "\(found.connections) of \(found.maximumConnections) connections are in use, and a server opens "
                        + "\(Self.connections).",
                    remedy: "Raise max_connections, or end other clients."))
        }
        return findings
    }
}

extension JournalError {
    /// The message and the underlying error, for operators.
    var withCause: String { description + (cause.map { " (\($0))" } ?? "") }
}
