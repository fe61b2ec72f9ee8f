import GRDB

/// The numbers that represent names, looked up once in a transaction.
struct NameTable {
    private let database: Database
    private var numbers: [String: Int64] = [:]

    init(_ database: Database) { self.database = database }

    /// The number of a name; a name without one is assigned one.
    mutating func number(of name: String) throws -> Int64 {
        if let number = numbers[name] { return number }
        let number = try Self.number(of: name, in: database) ?? add(name)
        numbers[name] = number
        return number
    }

    /// The number of a name, if it has one.
    static func number(of name: String, in database: Database) throws -> Int64? {
        try SQLStatement(database, "SELECT id FROM names WHERE name = ?").first(name) { $0.integer(0) }
    }

    private func add(_ name: String) throws -> Int64 {
        try SQLStatement(database, "INSERT INTO names (name) VALUES (?)").run(name)
        return database.lastInsertedRowID
    }
}
