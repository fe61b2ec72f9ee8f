import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import WeirAccess
import WeirFlows
import WeirJournals
import WeirPages
import WeirStates

extension AccountResponder {
    func audit(_ visit: Visit) async throws(Problem) -> Response {
        let (filter, found) = try await entries(visit)
        directory.audit.record(.readAudit, by: visit.authorization.principal, from: visit.origin)
        var list = AuditList(
            rows: found.records.map(row), actions: AuditAction.allCases.map(\.rawValue),
            outcomes: AuditEntry.Outcome.allCases.map(\.rawValue), head: directory.audit.head)
        list.principal = filter.principal ?? ""
        list.action = filter.action?.rawValue ?? ""
        list.outcome = filter.outcome?.rawValue ?? ""
        list.subject = filter.subject ?? ""
        list.older = found.older
        list.server = dashboard.serverName
        return page(.audit(list), visit)
    }

    func apiAudit(_ visit: Visit) async throws(Problem) -> Response {
        let found = try await entries(visit).found
        directory.audit.record(.readAudit, by: visit.authorization.principal, from: visit.origin)
        var members: [String: JSONValue] = [
            "entries": .array(found.records.map { $0.entry.json(number: $0.number) }),
            "head": .string(directory.audit.head),
        ]
        members["before"] = found.older.map(JSONValue.integer)
        members["server"] = dashboard.serverName.map(JSONValue.string)
        return try .json(.object(members))
    }

    func exportAudit(_ visit: Visit) async throws(Problem) -> Response {
        let log = directory.audit
        let export = try AuditExport(visit.target.query)
        log.record(.exportAudit, by: visit.authorization.principal, from: visit.origin)
        let days: [String]
        do { days = try await log.days() } catch { throw .internalError }
        let (control, authorization) = (directory.control, visit.authorization)
        let server = dashboard.serverName.map { "-" + $0.replacing("/", with: "-") } ?? ""
        return Response(
            status: .ok,
            headers: [
                .contentType: export.mediaType,
                .contentDisposition: "attachment; filename=\"weir-audit\(server).\(export.suffix)\"",
            ],
            body: ResponseBody { writer in
                if let head = export.head { try await writer.write(ByteBuffer(string: head)) }
                for day in days where export.includes(day) {
                    // An error cuts the response off, so that the file does not appear to be whole.
                    guard control.current(authorization)?.permissions.allowsEverywhere(.administer) == true else {
                        throw HeldRight.Lost()
                    }
                    let file = try await log.file(of: day)
                    try await writer.write(try await WorkPool.bulk.run { export.converted(file) })
                }
                try await writer.finish(nil)
            })
    }

    private func entries(_ visit: Visit) async throws(Problem) -> (filter: AuditFilter, found: AuditPage) {
        let query = visit.target.query
        try query.check(["principal", "subject", "action", "outcome", "before"])
        func text(_ name: String) -> String? { query[name].flatMap { $0.isEmpty ? nil : String($0.prefix(200)) } }
        var filter = AuditFilter(principal: text("principal"), subject: text("subject"))
        if let word = text("action") {
            guard let action = AuditAction(rawValue: word) else {
                throw .malformedQuery("action", .queryAction)
            }
            filter.action = action
        }
        if let word = text("outcome") {
            guard let outcome = AuditEntry.Outcome(rawValue: word) else {
                throw .malformedQuery("outcome", .queryOutcome)
            }
            filter.outcome = outcome
        }
        var before: Int64?
        if let word = text("before") {
            guard let number = Int64(word), number > 0 else {
                throw .malformedQuery("before", .queryEntry)
            }
            before = number
        }
        do {
            return (filter, try await directory.audit.page(filter, before: before, limit: 100))
        } catch {
            throw .internalError
        }
    }

    /// The name, with the kind of a principal whose name does not state it: the system user of a command.
    private static func name(_ entry: AuditEntry) -> String {
        let isSystemUser = entry.principal.hasPrefix("operator:") && entry.name != Principal.localOperator.name
        return isSystemUser ? "\(entry.name) (operator)" : entry.name
    }

    private func row(_ record: AuditRecord) -> AuditList.Row {
        let entry = record.entry
        return (
            number: record.number, at: Timestamp(milliseconds: entry.at), name: Self.name(entry),
            action: entry.action.rawValue, subject: entry.subject ?? "", outcome: entry.outcome.rawValue,
            count: entry.count, address: entry.address ?? "", detail: entry.detail ?? ""
        )
    }
}
