import Hummingbird
import WeirBoards
import WeirFlows
import WeirJournals
import WeirPages
import WeirStates

/// Compares two runs of an operation, `a` and `b`; without `a`, it redirects to the last success before `b`.
struct ComparePage {
    let dashboard: AudienceDashboard

    func show(_ operation: String, _ exchange: Exchange) async throws(Problem) -> Response {
        guard dashboard.board.catalog[operation] != nil else { throw .unknownOperation(operation) }
        let query = exchange.target.query
        guard let second = query["b"], !second.isEmpty else {
            throw .malformedQuery("b", .queryRuns)
        }
        guard let first = query["a"], !first.isEmpty else {
            let success: String
            do { success = try await dashboard.board.lastSuccess(before: second) } catch { throw Problem(error) }
            let path = dashboard.mount.url("operations/\(operation)/compare")
            return .seeOther(path + "?a=\(success)&b=\(PercentEncoding.encode(second))")
        }
        let runs = try await comparison(first, second)
        guard runs.first.record.operation == operation else {
            throw .notFound(
                .otherOperation,
                ["asked": "\(operation.prefix(64))", "actual": "\(runs.first.record.operation.prefix(64))"])
        }
        let frame = exchange.frame(dashboard)
        return try await .page(for: exchange) { [renderer = dashboard.renderer] in
            renderer.comparison(runs, frame: frame)
        }
    }

    /// The API's comparison; `with` is the second run.
    func list(_ first: String, _ exchange: Exchange) async throws(Problem) -> Response {
        guard let second = exchange.target.query["with"], !second.isEmpty else {
            throw .malformedQuery("with", "must be the id of the run to compare with.")
        }
        return try .json(try await comparison(first, second).json)
    }

    private func comparison(_ first: String, _ second: String) async throws(Problem) -> RunComparison {
        var runs: RunComparison
        let lines: (first: [OutputLine], second: [OutputLine])
        do {
            runs = try await dashboard.board.comparison(of: first, with: second)
            runs.file = try await dashboard.board.fileChange(of: runs)
            lines = try await dashboard.board.comparedLines(of: first, second)
        } catch {
            throw Problem(error)
        }
        let (one, other) = lines
        runs.output = try await WorkPool.pages.answer { OutputComparison(one, other) }
        return runs
    }
}

/// Compares two moments of a run or a store, `a` and `b`; without `b`, the newest moment.
struct MomentComparison {
    let dashboard: AudienceDashboard

    func show(_ name: PageName, _ exchange: Exchange) async throws(Problem) -> Response {
        let query = exchange.target.query
        guard let first = query["a"], !first.isEmpty else {
            throw .malformedQuery(
                "a", .queryChange)
        }
        let a = try exchange.moment(first)
        let second = query["b"] ?? ""
        guard let pair = try await pair(name, a, second.isEmpty ? nil : try exchange.moment(second)) else {
            throw .noSuchPage
        }
        let frame = exchange.frame(dashboard)
        return try await .page(for: exchange) { [renderer = dashboard.renderer] in renderer.moments(pair, frame: frame)
        }
    }

    private func pair(
        _ name: PageName, _ first: SequenceNumber, _ second: SequenceNumber?
    ) async throws(Problem) -> MomentPair? {
        let board = dashboard.board
        do {
            switch name {
            case .run(let id):
                let (one, other) = (
                    try await board.moment(of: id, at: first), try await board.moment(of: id, at: second ?? .max)
                )
                return .run(one.run, other.run, newest: other.newest)
            case .store(let id):
                let newest = try board.store(id)
                let one = try await board.store(id, at: first)
                guard let second else { return .store(one, newest, newest: newest) }
                return .store(one, try await board.store(id, at: second), newest: newest)
            default:
                return nil
            }
        } catch {
            throw Problem(error)
        }
    }
}
