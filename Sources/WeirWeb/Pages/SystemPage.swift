import Foundation
import Hummingbird
import WeirAccess
import WeirBoards
import WeirFlows
import WeirJournals
import WeirPages
import WeirStates

/// What the server is and how it does.
struct SystemPage {
    let dashboard: AudienceDashboard

    func show(_ exchange: Exchange) async throws(Problem) -> Response {
        let board = dashboard.board
        let counts: [RunCount]
        let size: Int64?
        do {
            counts = try await board.counts()
            size = try await board.journalSize()
        } catch {
            throw Problem(error)
        }
        let view = board.view()
        var facts: [SystemFacts.Fact] = [
            .init("version", .text(dashboard.configuration.version)),
            .init("startedAt", .moment(dashboard.startedAt)),
            .init("uptime", .duration(dashboard.clock.wall - dashboard.startedAt.milliseconds)),
            .init("epoch", .text(board.epoch)),
            .init("sequence", .count(view.sequence.rawValue)),
            .init("recording", .flag(board.recording == .recording)),
            .init("viewers", .count(Int64(board.viewers(of: .board)))),
            .init("heldPolls", .count(Int64(dashboard.holds.count))),
            .init("activeRuns", .count(Int64(view.operations.reduce(0) { $0 + $1.activeRuns }))),
            .init("mountPath", .text(dashboard.mount.description)),
        ]
        if let removal = board.announcedRemoval.value {
            facts += [.init("removal", .count(Int64(removal.runs))), .init("removalDue", .moment(removal.due))]
        }
        if let place = board.journalPlace { facts.append(.init("journalPlace", .text(place))) }
        if let size { facts.append(.init("journal", .bytes(size))) }
        if let host = exchange.request.head.authority { facts.append(.init("host", .text(host))) }
        if let memory = ProcessMemory.resident() { facts.append(.init("memory", .bytes(memory))) }
        var check = dashboard.checks.last
        // The check is of the whole catalog.
        if !dashboard.permissions.allowsEverywhere(.see) { check = check?.counted }
        let system = SystemFacts(facts: facts, counts: counts, check: check, nodes: board.nodes)
        let frame = exchange.frame(dashboard)
        return try await .page(for: exchange) { [renderer = dashboard.renderer] in
            renderer.system(system, frame: frame)
        }
    }
}

/// How much memory this process takes.
enum ProcessMemory {
    /// Resident bytes; nil where the system does not tell in `/proc`.
    static func resident() -> Int64? {
        #if os(Linux)
            guard let line = FileManager.default.contents(atPath: "/proc/self/statm") else { return nil }
            let fields = String(decoding: line, as: UTF8.self).split(separator: " ")
            let pages = fields.dropFirst().first.flatMap { Int64($0) }
            return pages.map { $0.multipliedReportingOverflow(by: Int64(clamping: getpagesize())).partialValue }
        #else
            return nil
        #endif
    }
}
