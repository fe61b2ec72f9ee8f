import TestSupport

@testable import WeirPostgres

extension PostgresServer {
    /// A connection of somebody else's.
    static func connection(_ url: String) throws -> PostgresConnection {
        try PostgresConnection(PostgresAddress(url), timeout: AnswerTimeout(.seconds(30)))
    }
}
