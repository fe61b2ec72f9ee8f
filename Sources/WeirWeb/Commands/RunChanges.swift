import Foundation
import Hummingbird
import NIOCore
import WeirAccess
import WeirBoards
import WeirJournals
import WeirPages
import WeirStates

/// Cancels, retries or deletes several runs: a page previews the change, and its form applies it to exactly those runs.
struct RunChanges {
    private static let formLimit: Int64 = 256 * 1_024

    let dashboard: AudienceDashboard

    /// Previews the change for the runs in the query, or with `all` for all runs that match its filter.
    func show(_ exchange: Exchange) async throws(Problem) -> Response {
        let fields = exchange.target.query
        guard let change = RunChange(rawValue: fields["change"] ?? "") else {
            throw .malformedQuery("change", .queryEither, ["values": .either(RunChange.allCases.map(\.rawValue))])
        }
        let filter = dashboard.filter(fields, exchange.locale, beside: ["change", "all"], lists: ["run"]).firstPage
        // Nothing is offered under a filter that was not understood, nor for another value of `all`.
        if let mistake = filter.mistake { throw Problem(mistake) }
        if let all = fields["all"], all != "1" { throw .malformedQuery("all", oneOf: ["1"]) }
        var (runs, unknown, hasMore) = ([RunRecord](), 0, false)
        if fields["all"] != nil {
            var query = try RunsPage(dashboard: dashboard).query(filter, exchange)
            query.limit = RunChange.Plan.limit
            do {
                let page = try await dashboard.board.runs(query)
                (runs, hasMore) = (page.runs, page.next != nil)
            } catch {
                throw Problem(error)
            }
        } else {
            let ids = ids(fields)
            hasMore = ids.count > RunChange.Plan.limit
            for id in ids.prefix(RunChange.Plan.limit) {
                do { runs.append(try await dashboard.board.run(id).record) } catch {
                    guard error.code != .unavailable else { throw Problem(error) }
                    unknown += 1
                }
            }
        }
        let plan = RunChange.Plan(
            change, runs: runs, unknown: unknown, hasMore: hasMore, key: UUID().uuidString.lowercased(), filter: filter)
        let frame = exchange.frame(dashboard)
        return try await .page(for: exchange) { [renderer = dashboard.renderer] in
            renderer.runChange(plan, frame: frame)
        }
    }

    /// Applies the change to the runs in the form, with the sender's permissions for each.
    func create(_ change: RunChange, _ exchange: Exchange) async throws(Problem) -> Response {
        var body = BodyReader(exchange, limit: Self.formLimit, budget: dashboard.bodies)
        let bytes = try await body.collect()
        let fields = try await bytes.read { (bytes) throws(Problem) in try FormFields(body: bytes) }
        let ids = ids(fields)
        guard !ids.isEmpty else {
            throw .malformedBody(.noRunSelected)
        }
        guard ids.count <= RunChange.Plan.limit else {
            throw .malformedBody(.tooManyRuns, ["limit": "\(RunChange.Plan.limit)"])
        }
        // The key is unique per form, so submitting the form again starts nothing.
        let key = fields["key"].flatMap { key in UUID(uuidString: key) }
        var items: [RunChange.Report.Item] = []
        let deleted = change == .delete ? await dashboard.board.delete(ids, actor: exchange.actor) : [:]
        // Stops after an error that would affect all remaining runs too.
        var isCutOff = false
        for id in ids {
            guard change == .delete ? deleted[id] != nil : !isCutOff else {
                items.append(.init(run: id, result: .failed, detail: Message(ProblemWording.notTried)))
                continue
            }
            let item: RunChange.Report.Item
            (item, isCutOff) = await result(of: change, for: id, key, deleted[id], exchange)
            items.append(item)
            let outcome: AuditEntry.Outcome =
                switch item.result {
                case .done: .done
                case .refused: .refused
                case .late, .unknown, .failed: .failed
                }
            if item.result != .unknown { exchange.auditRun?(change.audit, id, outcome) }
        }
        let filter = FormFields(fields["filter"] ?? "").map { RunFilter(parameters: $0.dictionary) } ?? RunFilter()
        let report = RunChange.Report(change, items: items, filter: filter)
        let frame = exchange.frame(dashboard)
        return try await .page(for: exchange) { [renderer = dashboard.renderer] in
            renderer.runChange(report, frame: frame)
        }
    }

    /// Applies the change to one run; `isCutOff` is true if trying the next run is pointless.
    private func result(
        of change: RunChange, for id: String, _ key: UUID?, _ deletion: Result<StartReceipt, BoardError>?,
        _ exchange: Exchange
    ) async -> (RunChange.Report.Item, isCutOff: Bool) {
        do throws(BoardError) {
            switch change {
            case .cancel:
                _ = try await dashboard.board.cancel(id, actor: exchange.actor)
                return (.init(run: id, result: .done), false)
            case .delete:
                _ = try deletion?.get()
                return (.init(run: id, result: .done), false)
            case .retry:
                let receipt = try await dashboard.board.retry(
                    id, actor: exchange.actor, idempotencyKey: key.map { exchange.ownKey("\($0.uuidString)-\(id)") })
                return (.init(run: id, result: .done, newRun: receipt.run), false)
            }
        } catch {
            switch error.code {
            case .alreadyEnded, .stillRunning: return (.init(run: id, result: .late), false)
            case .notAllowed: return (.init(run: id, result: .refused), false)
            case .unknownRun, .removedRun, .deletedRun: return (.init(run: id, result: .unknown), false)
            default:
                let isCutOff = [.unavailable, .outcomeUnknown, .shuttingDown].contains(error.code)
                return (.init(run: id, result: .failed, detail: error.message), isCutOff)
            }
        }
    }

    private func ids(_ fields: FormFields) -> [String] {
        var seen: Set<String> = []
        return fields.fields.filter { $0.name == "run" }.map(\.value).filter { seen.insert($0).inserted }
    }
}

extension RunChange {
    fileprivate var audit: AuditAction {
        switch self {
        case .cancel: .cancel
        case .retry: .retry
        case .delete: .delete
        }
    }
}
