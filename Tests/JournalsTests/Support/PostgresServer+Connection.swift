import TestSupport

@testable import JournalsPostgres

extension PostgresServer {
    /// A connection of somebody else's.
    static func connection(_ url: String) throws -> PostgresConnection {
        try PostgresConnection(PostgresAddress(url), timeout: AnswerTimeout(.seconds(30)))
    }
}
