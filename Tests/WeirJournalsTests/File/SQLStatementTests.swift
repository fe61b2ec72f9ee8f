import GRDB
import Testing

@testable import WeirJournals

@Suite struct SQLStatementTests {
    @Test func `of many rows the first is read and no other, and all are read when all are asked for`() throws {
        try DatabaseQueue().read { database in
            let statement = try SQLStatement(database, "SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3")
            var read: [Int64] = []
            let first = try statement.first { row in
                read.append(row.integer(0))
                return row.integer(0)
            }
            #expect(first == 1 && read == [1])
            #expect(try statement.all { $0.integer(0) } == [1, 2, 3])
            #expect(try SQLStatement(database, "SELECT 1 WHERE false").first { $0.integer(0) } == nil)
        }
    }
}
