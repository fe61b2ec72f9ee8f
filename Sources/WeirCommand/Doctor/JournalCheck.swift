import Foundation
import WeirFiles
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
        } catch let error as JournalError where error.code == .tooNew {
            return [
                Finding(
                    "journal", .failure, "A newer version of Weir has written the journal \(folder.journal).",
                    remedy: copy.map {
                        "Install the newer version. To stay with this one, put back the copy from before the upgrade, "
                            + "\($0), which lacks what was recorded since."
                    } ?? "Install the newer version. To stay with this one, restore a backup into another folder.")
            ]
        } catch {
            return [
                Finding(
                    "journal", .failure, "The journal \(folder.journal) cannot be used. \(error)",
                    remedy: "`weir journal check` says more; `weir restore` makes a folder from a backup.")
            ]
        }
    }

    /// The newest copy of the journal from before a migration that this version can open.
    private var copy: String? {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.url.path)) ?? []
        let copies = names.compactMap { name in
            // Never traps: digits of a name, which `Int64` returns nil for if they do not fit.
            name.wholeMatch(of: /journal\.sqlite-format-([0-9]{1,9})/).flatMap { Int64($0.1) }
        }.filter { $0 <= JournalInspection.newestFormat }
        return copies.max().map { folder.journal + "-format-\($0)" }
    }

    /// The files beside the journal that a newer version has written, which this one cannot open.
    func otherFiles() async -> [Finding] {
        let path = folder.deliveries
        guard FileManager.default.fileExists(atPath: path),
            let isNewer = try? await WorkPool.files.run({ try DeliveryStore.isNewer(path: path) }), isNewer
        else { return [] }
        return [
            Finding(
                "data", .failure, "A newer version of Weir has written the file of messages \(path).",
                remedy:
                    "Install the newer version. To stay with this one, move the file away: messages that wait are lost."
            )
        ]
    }

    private func database(_ url: String) async -> [Finding] {
        let found: PostgresInspection
        do {
            found = try await PostgresInspection.inspect(url) { Timestamp(Date()) }
        } catch let error as JournalError where error.code == .tooNew {
            return [
                Finding(
                    "database", .failure,
                    "A newer version of Weir has changed the journal's tables, and this one cannot use them.",
                    remedy:
                        "Install the newer version. To stay with this one, restore the dump from before the upgrade.")
            ]
        } catch {
            return [Finding("database", .failure, (error as? JournalError)?.withCause ?? "\(error)")]
        }
        var findings = [format(of: found)]
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

extension JournalCheck {
    private func format(of found: PostgresInspection) -> Finding {
        guard let format = found.format else {
            return Finding(
                "database", .good,
                "\(found.place) answers: PostgreSQL \(found.version), no tables yet; the server makes them.")
        }
        if format < found.newestFormat {
            return Finding(
                "database", .warning,
                "\(found.place) has tables of format \(format). The next start migrates them to \(found.newestFormat).",
                remedy: "Make a dump first: pg_dump")
        }
        if format > found.newestFormat {
            return Finding(
                "database", .warning,
                "\(found.place) has tables of format \(format), of a newer version. This one, which knows format "
                    + "\(found.newestFormat), can use them.",
                remedy: "Install the newer version on all servers of the database.")
        }
        return Finding(
            "database", .good, "\(found.place) answers: PostgreSQL \(found.version), tables of format \(format).")
    }
}

extension JournalError {
    /// The message and the underlying error, for operators.
    var withCause: String { description + (cause.map { " (\($0))" } ?? "") }
}
