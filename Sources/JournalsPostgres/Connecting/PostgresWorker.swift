import Dispatch
import Journals
import Synchronization

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
        /// When connecting failed last, and why.
        var failed: (at: ContinuousClock.Instant, error: any Error)?
    }

    private let queue: DispatchQueue
    private let state = State()
    private let address: PostgresAddress
    private let timeout: Duration
    private let prepare: @Sendable (PostgresConnection) throws -> Void
    private let waiting = Atomic(0)
    private let interruption: Interruption?

    /// Prepares a connection, which is made when it is first needed.
    ///
    /// `interruption` ends what `wait` waits for; `prepare` sets up every new connection.
    init(
        _ address: PostgresAddress, name: String, timeout: Duration, interruption: Interruption? = nil,
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

    /// Ends the connection, after what was given to it before.
    func close() async {
        interruption?.signal()
        await withCheckedContinuation { continuation in
            queue.async { [self] in
                state.connection = nil
                state.isClosed = true
                continuation.resume()
            }
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
                if let failed = state.failed, ContinuousClock.now - failed.at > .seconds(2) { break }
            }
        }
        throw last
    }

    private func connected() throws -> PostgresConnection {
        if state.isClosed { throw JournalError(.unavailable, "The journal is closed.") }
        if let connection = state.connection { return connection }
        do {
            let connection = try PostgresConnection(address, timeout: timeout)
            try connection.execute("SET client_min_messages = warning")
            try prepare(connection)
            state.connection = connection
            state.failed = nil
            return connection
        } catch {
            state.failed = (state.failed?.at ?? .now, error)
            throw error
        }
    }

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
