import GRDB
import Journals

/// Tells the last sequence of a topic that retention removed.
struct FloorTable {
    private let database: Database

    init(_ database: Database) { self.database = database }

    func floor(of topic: Topic) throws -> Int64 {
        switch topic {
        case .board: try floor(ofSubject: 0)
        case .operation(let name): try NameTable.number(of: name, in: database).map(floor(ofSubject:)) ?? 0
        case .run(let id): try RunReader(database).run(id) == nil ? floor(ofSubject: 0) : 0
        case .store: 0
        }
    }

    private func floor(ofSubject number: Int64) throws -> Int64 {
        try SQLStatement(database, "SELECT sequence FROM floors WHERE operation = ?").first(number) { $0.integer(0) }
            ?? 0
    }
}
