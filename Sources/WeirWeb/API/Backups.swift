import Hummingbird
import Logging
import WeirBoards
package import WeirJournals
import WeirPages
import WeirStates

/// Makes backups of a server, and knows the last one.
package protocol BackupKeeper: Sendable {
    var standing: BackupStanding { get }

    /// Begins a backup in the background; returns false if no folder for backups is set.
    func begin() -> Bool
}

/// The last backup of a server, and what is wrong with it.
package struct BackupStanding: Sendable, Hashable {
    /// When the last complete backup was made; nil if none is known.
    package var last: Timestamp?
    package var bytes: Int64?
    /// Whether the last backup was restored in a trial without a fault; nil if that was not tried.
    package var isVerified: Bool?
    /// What went wrong after that, as a sentence.
    package var problem: String?
    package var next: Timestamp?
    /// Whether the schedule has passed twice since the last backup.
    package var isLate = false
    package var isMaking = false

    package init() {}

    /// `ok`, `none`, `failed` or `late`, for monitoring.
    var word: String {
        if isLate { return "late" }
        if problem != nil || isVerified == false { return "failed" }
        return last == nil ? "none" : "ok"
    }

    var json: JSONValue {
        [
            "status": .string(word), "last": last.map { .string($0.description) } ?? .null,
            "bytes": bytes.map(JSONValue.integer) ?? .null, "verified": isVerified.map(JSONValue.bool) ?? .null,
            "problem": problem.map(JSONValue.string) ?? .null, "next": next.map { .string($0.description) } ?? .null,
            "making": .bool(isMaking),
        ]
    }

    var facts: [SystemFacts.Fact] {
        var facts: [SystemFacts.Fact] = []
        if let last { facts.append(.init("backup", .moment(last))) }
        if let bytes { facts.append(.init("backupSize", .bytes(bytes))) }
        if let isVerified { facts.append(.init("backupVerified", .flag(isVerified))) }
        if let problem { facts.append(.init("backupProblem", .text(problem))) }
        if isLate { facts.append(.init("backupLate", .flag(true))) }
        if let next { facts.append(.init("backupNext", .moment(next))) }
        return facts
    }
}

struct Backups {
    let dashboard: AudienceDashboard

    func show() throws(Problem) -> Response { try .json(try keeper.standing.json) }

    /// Begins a backup; the answer comes before it is complete.
    func create() throws(Problem) -> Response {
        let keeper = try keeper
        guard keeper.begin() else { throw Problem.notFound(.noBackupFolder) }
        return try .json(keeper.standing.json, status: .accepted)
    }

    private var keeper: any BackupKeeper {
        get throws(Problem) {
            guard let keeper = dashboard.configuration.backups else { throw Problem.notFound(.noBackupFolder) }
            return keeper
        }
    }
}

/// The end of a quiet start, which an administrator asks for.
struct QuietEnd {
    let dashboard: AudienceDashboard

    /// Asks for the end, which follows within a second; with `discard=yes` in the query, what has waited is given up.
    func create(_ exchange: Exchange) throws(Problem) -> Response {
        let discards: Bool
        switch exchange.target.query["discard"] {
        case nil, "no": discards = false
        case "yes": discards = true
        default: throw .malformedQuery("discard", "must be yes or no.")
        }
        guard dashboard.board.isQuiet, let end = dashboard.configuration.endQuiet else { throw .notFound(.notQuiet) }
        do {
            try end(discards)
        } catch {
            dashboard.logger.error("The quiet start cannot be ended.", metadata: ["cause": "\(Quoted(error))"])
            throw .unwritableResumption
        }
        dashboard.logger.notice(
            "The end of the quiet start was asked for.", metadata: ["actor": "\(Quoted(exchange.actor))"])
        guard case .api = exchange.route else {
            return exchange.wantsJSON ? try .json([:]) : .seeOther(exchange.wayBack(in: dashboard.mount))
        }
        return try .json(["quiet": true, "discard": .bool(discards)], status: .accepted)
    }
}

extension Problem {
    fileprivate static var unwritableResumption: Problem {
        Problem("unavailable", .serviceUnavailable, "Unavailable", ProblemWording.unwritableResumption)
    }
}
