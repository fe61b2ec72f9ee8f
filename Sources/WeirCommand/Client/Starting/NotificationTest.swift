import NIOHTTP1
package import WeirStates

/// Asks for test messages about an operation.
package enum NotificationTest {
    /// Asks a server to send a test by each of the operation's rules, and returns the messages as the API has them.
    ///
    /// - Throws: `ClientError`, also where nobody is told of the operation.
    package static func send(_ operation: String, at client: ServerClient) async throws(ClientError) -> JSONValue {
        try await client.succeed(.POST, ["operations", operation, "notifications", "test"]).body ?? [:]
    }

    /// The newest messages about the operation, as the API has them.
    ///
    /// - Throws: `ClientError`.
    package static func list(_ operation: String, at client: ServerClient) async throws(ClientError) -> JSONValue {
        try await client.succeed(.GET, ["operations", operation, "notifications"]).body ?? [:]
    }
}
