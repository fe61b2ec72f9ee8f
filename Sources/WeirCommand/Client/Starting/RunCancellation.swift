import NIOHTTP1
package import WeirStates

/// Cancels a run.
package enum RunCancellation {
    /// Asks for the end of a run, and returns the run as the API has it.
    ///
    /// - Throws: `ClientError`, also where the run has ended already.
    package static func cancel(_ run: String, at client: ServerClient) async throws(ClientError) -> JSONValue {
        try await client.succeed(.POST, ["runs", run, "cancellation"]).body ?? [:]
    }
}
