import Hummingbird
import WeirBoards
import WeirStates

/// The operations that can be run.
struct OperationList {
    let dashboard: AudienceDashboard

    func list() throws(Problem) -> Response {
        let view = dashboard.board.view()
        let operations = dashboard.board.catalog.entries.filter { $0.partOf == nil }
            .map { $0.json(view.operation($0.id)) }
        return try .json(["operations": .array(operations)])
    }

    func show(_ id: String) throws(Problem) -> Response {
        guard let entry = dashboard.board.catalog[id] else { throw .unknownOperation(id) }
        return try .json(entry.json(dashboard.board.view().operation(id)))
    }
}
