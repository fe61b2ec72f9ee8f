import Dispatch
import Synchronization
import WeirJournals

/// One connection on a thread of its own, which blocks while the database works; it connects again when it must.
///
/// What it is given to do is done in order. When the connection breaks in the middle, that is done again on the next
/// one, so everything given to it must be safe to repeat.
final class PostgresWorker: Sendable {
    /// How often a broken connection is replaced within one call, and how long to wait before each.
    private static let pauses: [Duration] = [.zero, .milliseconds(50), .milliseconds(200), .milliseconds(750)]

    /// What is only used on the queue.
    private final class State: @unchecked Sendable {
        var connection: PostgresConnection?
        var isClosed = false
        /// Since when connecting has failed, when it failed last, and why.
        var failed: (since: ContinuousClock.Instant, last: ContinuousClock.Instant, error: any Error)?
    }

    private let queue: DispatchQueue
    private let state = State()
    private let address: PostgresAddress
    private let timeout: AnswerTimeout
    private let prepare: @Sendable (PostgresConnection) throws -> Void
    private let waiting = Atomic(0)
    private let interruption: Interruption?

    /// Prepares a connection, which is made when it is first needed.
    ///
    /// `interruption` ends what `wait` waits for; `prepare` sets up every new connection.
    init(
        _ address: PostgresAddress, name: String, timeout: AnswerTimeout, interruption: Interruption? = nil,
        prepare: @escaping @Sendable (PostgresConnection) throws -> Void
    ) {
        self.address = address
        self.timeout = timeout
        self.interruption = interruption
        self.prepare = prepare
        queue = DispatchQueue(label: "journal.postgres.\(name)")
    }

    /// How many calls have not returned.
    var load: Int { waiting.load(ordering: .relaxed) }

    /// Does something with the connection; throws `JournalError`.
    func run<Result: Sendable>(
        _ body: @escaping @Sendable (PostgresConnection) throws -> Result
    ) async throws -> Result {
        waiting.add(1, ordering: .sequentiallyConsistent)
        interruption?.signal()
        return try await withCheckedThrowingContinuation { continuation in
            queue.async { [self] in
                let result = Swift.Result { try attempt(body) }
                waiting.subtract(1, ordering: .sequentiallyConsistent)
                continuation.resume(with: result.mapError(Self.meaning))
            }
        }
    }

    /// Waits for something on the connection, as `body` does, which returns when it is interrupted: whenever there is
    /// something else to do with the connection.
    func wait(_ body: @escaping @Sendable (PostgresConnection) throws -> Bool) async throws -> Bool {
        try await run { [self] connection in
            interruption?.clear()
            // Whoever comes from here on interrupts.
            guard waiting.load(ordering: .sequentiallyConsistent) <= 1 else { return false }
            return try body(connection)
        }
    }

    /// Runs the calls that wait, then `last`, and ends the connection.
    ///
    /// Returns after ``AnswerTimeout/hurried`` at the latest. A database that does not answer then keeps the thread for longer.
    func close(after last: (@Sendable (PostgresConnection) throws -> Void)? = nil) async {
        timeout.hurry()
        interruption?.signal()
        await withCheckedContinuation { continuation in
            let waiting = Mutex<CheckedContinuation<Void, Never>?>(continuation)
            let end: @Sendable () -> Void = {
                let continuation = waiting.withLock { waiting in
                    defer { waiting = nil }
                    return waiting
                }
                continuation?.resume()
            }
            queue.async { [self] in
                // Without it, other servers find this one silent.
                if let last { do { try attempt(last) } catch { _ = error } }
                state.connection = nil
                state.isClosed = true
                end()
            }
            let seconds = Int(clamping: AnswerTimeout.hurried.components.seconds)
            DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(seconds), execute: end)
        }
    }

    private func attempt<Result>(_ body: (PostgresConnection) throws -> Result) throws -> Result {
        var last: any Error = PostgresFailure.lost("never connected")
        for pause in Self.pauses {
            if pause > .zero { Self.block(for: pause) }
            do {
                let connection = try connected()
                defer { if connection.isLost { state.connection = nil } }
                return try body(connection)
            } catch let failure as PostgresFailure where failure.isConnectionLost {
                state.connection = nil
                last = failure
                // While the database is away, callers are told at once.
                if timeout.isHurried || isAway { break }
            }
        }
        throw last
    }

    private func connected() throws -> PostgresConnection {
        if state.isClosed { throw JournalError(.unavailable, "The journal is closed.") }
        if let connection = state.connection { return connection }
        // Those that waited for an attempt that took long do not each wait for one more.
        if let failed = state.failed, isAway, ContinuousClock.now - failed.last < .seconds(timeout.isHurried ? 10 : 1) {
            throw failed.error
        }
        let begun = ContinuousClock.now
        do {
            let connection = try PostgresConnection(address, timeout: timeout)
            try connection.execute("SET client_min_messages = warning")
            try prepare(connection)
            state.connection = connection
            state.failed = nil
            return connection
        } catch {
            state.failed = (state.failed?.since ?? begun, .now, error)
            throw error
        }
    }

    /// Whether connecting has failed for more than two seconds.
    private var isAway: Bool { state.failed.map { ContinuousClock.now - $0.since > .seconds(2) } ?? false }

    private static func block(for pause: Duration) {
        let done = DispatchSemaphore(value: 0)
        _ = done.wait(
            timeout: .now() + .milliseconds(Int(clamping: pause.components.attoseconds / 1_000_000_000_000_000)))
    }

    private static func meaning(of error: any Error) -> any Error {
        switch error {
        case let error as JournalError: error
        case let failure as PostgresFailure: JournalError.of(failure)
        case is CancellationError: error
        default: JournalError(.unavailable, "The journal's database cannot be read or written.", cause: error)
        }
    }
}
