import Hummingbird
import WeirBoards
import WeirJournals
import WeirPages
import WeirStates

/// Two runs of an operation side by side: `a` and `b`; without `a`, the last success before `b` takes its place.
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

    /// The same for programs: `with` names the second run.
    func list(_ first: String, _ exchange: Exchange) async throws(Problem) -> Response {
        guard let second = exchange.target.query["with"], !second.isEmpty else {
            throw .malformedQuery("with", "must be the id of the run to compare with.")
        }
        return try .json(try await comparison(first, second).json)
    }

    private func comparison(_ first: String, _ second: String) async throws(Problem) -> RunComparison {
        do { return try await dashboard.board.comparison(of: first, with: second) } catch { throw Problem(error) }
    }
}
