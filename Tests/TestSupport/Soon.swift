import WeirFlows

/// What a body returns, or nil when it has not returned after a time that nobody would wait.
///
/// What would wait without end then fails where it is asked, in words.
package func soon<Value: Sendable>(
    within limit: Duration = .seconds(120), _ body: @escaping @Sendable () async -> Value
) async -> Value? {
    let result = OneShot<Value?>()
    let work = Task { result.send(await body()) }
    let timer = Task {
        try await Task.sleep(for: limit)
        result.send(nil)
        work.cancel()
    }
    defer { timer.cancel() }
    return await result.value()
}

/// Waits until something is so, and does something each time that it is not yet.
///
/// Throws once its test is cancelled: what never comes then ends with the time limit of the test, which names it.
nonisolated(nonsending) package func until(
    _ condition: () async throws -> Bool, otherwise act: () async throws -> Void = {}
) async throws {
    while try await !condition() {
        try Task.checkCancellation()
        try await act()
        await Task.yield()
    }
}
