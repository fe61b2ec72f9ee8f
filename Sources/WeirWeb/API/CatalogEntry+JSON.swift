import WeirBoards
import WeirOperations
import WeirStates

extension CatalogEntry {
    /// The operation as the API tells it, with its newest run.
    func json(_ view: OperationView?) -> JSONValue {
        var members: [String: JSONValue] = [
            "id": .string(id), "title": .string(title), "summary": .string(summary),
            "fields": .array(fields.map(\.json)), "inputSchema": JSONSchema(for: fields).value,
            "lifetime": .string(lifetimeName), "reentry": .string(reentry.rawValue), "reported": .bool(isReported),
            "activeRuns": .integer(Int64(view?.activeRuns ?? 0)), "latest": view?.latest?.record.json ?? .null,
        ]
        members["partOf"] = partOf.map { .string($0) }
        return .object(members)
    }

    private var lifetimeName: String {
        switch lifetime {
        case .onDemand: "onDemand"
        case .whileWatched: "whileWatched"
        }
    }
}
