import Dispatch
import Foundation
import Synchronization
import WeirJournals

/// A connection with its own thread, which blocks while the database works; it reconnects when necessary.
///
/// Calls run in order. If the connection breaks during a call, the call is repeated on the next connection, so it
/// must be idempotent.
final class PostgresWorker: Sendable {
    /// The pause before each reconnection within one call.
    private static let pauses: [Duration] = [.zero, .milliseconds(50), .milliseconds(200), .milliseconds(750)]

    /// State that is accessed only on the queue.
    private final class State: @unchecked Sendable {
        var connection: PostgresConnection?
        var isClosed = false
        /// The first and the last failure to connect, and its error.
        var failed: (since: ContinuousClock.Instant, last: ContinuousClock.Instant, error: any Error)?
    }

    private let queue: DispatchQueue
    private let state = State()
    private let address: PostgresAddress
    private let timeout: AnswerTimeout
    private let prepare: @Sendable (PostgresConnection) throws -> Void
    private let waiting = Atomic(0)
    private let interruption: Interruption?

    /// Creates a worker, which connects on first use.
    ///
    /// `interruption` ends the wait of ``wait(_:)``; `prepare` sets up each new connection.
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

    var load: Int { waiting.load(ordering: .relaxed) }

    /// Runs a body on the connection; throws `JournalError`.
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

    /// Runs a waiting body on the connection, which is interrupted when another call arrives.
    func wait(_ body: @escaping @Sendable (PostgresConnection) throws -> Bool) async throws -> Bool {
        try await run { [self] connection in
            interruption?.clear()
            // Calls that arrive from here on interrupt the wait.
            guard waiting.load(ordering: .sequentiallyConsistent) <= 1 else { return false }
            return try body(connection)
        }
    }

    /// Runs pending calls, then `last`, and closes the connection.
    ///
    /// Returns after ``AnswerTimeout/hurried`` at the latest. If the database does not answer, the thread stays
    /// blocked longer.
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
                // If this fails, other servers detect the silence instead.
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
                // While the database is unreachable, calls fail immediately.
                if timeout.isHurried || isAway { break }
            }
        }
        throw last
    }

    private func connected() throws -> PostgresConnection {
        if state.isClosed { throw JournalError(.unavailable, "The journal is closed.") }
        if let connection = state.connection { return connection }
        // Calls that waited for a slow attempt share its failure instead of each starting another.
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

/// The time limit for an answer of the database, which is shorter during a shutdown.
final class AnswerTimeout: Sendable {
    static let hurried = Duration.seconds(3)

    let usual: Duration
    private let hurriedAt = Mutex<ContinuousClock.Instant?>(nil)

    init(_ usual: Duration) { self.usual = usual }

    /// Shortens the timeout, also of pending answers.
    func hurry() { hurriedAt.withLock { $0 = $0 ?? .now } }

    var isHurried: Bool { hurriedAt.withLock { $0 != nil } }

    /// The deadline for the answer to a statement that was sent at the given time.
    func deadline(of sent: ContinuousClock.Instant) -> ContinuousClock.Instant {
        let deadline = sent + usual
        guard let hurriedAt = hurriedAt.withLock({ $0 }) else { return deadline }
        return min(deadline, max(sent, hurriedAt) + Self.hurried)
    }
}

/// Interrupts a wait for a file descriptor from any thread: a pipe that is readable while signalled.
///
/// If no pipe can be created, for example because the process has no descriptors left, nothing is interrupted.
final class Interruption: Sendable {
    /// Readable while signalled.
    let descriptor: Int32
    private let input: Int32

    init() {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0, let output = ends.first, let input = ends.last else {
            (descriptor, input) = (-1, -1)
            return
        }
        for end in [output, input] {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        (descriptor, self.input) = (output, input)
    }

    deinit {
        guard descriptor >= 0 else { return }
        _ = close(descriptor)
        _ = close(input)
    }

    /// Signals; a full pipe is already signalled.
    func signal() {
        guard input >= 0 else { return }
        var byte: UInt8 = 0
        _ = write(input, &byte, 1)
    }

    func clear() {
        guard descriptor >= 0 else { return }
        var bytes: [UInt8] = Array(repeating: 0, count: 256)
        while read(descriptor, &bytes, 256) == 256 {}
    }
}
