import Foundation
import NIOConcurrencyHelpers
import WeirOperations

/// The bytes of an upload as a run reads them: from the disk, and at their end it waits for more.
final class ResumableContent: FileContent {
    private struct State {
        var position: Int64 = 0
        var available: Int64
        var failure: UploadFailure?
        var isCancelled = false
        var waiter: CheckedContinuation<Void, Never>?

        /// What to tell that there is something to do.
        mutating func takeWaiter() -> CheckedContinuation<Void, Never>? {
            defer { waiter = nil }
            return waiter
        }
    }

    private enum Step { case read(Int), end, wait }

    private static let pieceSize: Int64 = 256 << 10

    private let handle: FileHandle
    private let length: Int64
    private let state: NIOLockedValueBox<State>

    /// Reads a file from its beginning, of which so many bytes have arrived.
    init(_ url: URL, available: Int64, length: Int64) throws {
        handle = try FileHandle(forReadingFrom: url)
        self.length = length
        state = NIOLockedValueBox(State(available: available))
    }

    /// Why it was stopped, if it was.
    var failure: UploadFailure? { state.withLockedValue { $0.failure } }

    func next() async throws -> Data? {
        while true {
            try Task.checkCancellation()
            switch try step() {
            case .end: return nil
            case .wait: await wait()
            case .read(let count):
                guard let piece = try handle.read(upToCount: count), !piece.isEmpty else { throw UploadFailure.closed }
                state.withLockedValue { $0.position += Int64(piece.count) }
                return piece
            }
        }
    }

    /// So many bytes have arrived.
    func grow(to count: Int64) {
        state.withLockedValue { state in
            state.available = max(state.available, count)
            return state.takeWaiter()
        }?.resume()
    }

    /// No more bytes come, for a reason.
    func stop(_ failure: UploadFailure) {
        state.withLockedValue { state in
            state.failure = state.failure ?? failure
            return state.takeWaiter()
        }?.resume()
    }

    private func step() throws -> Step {
        try state.withLockedValue { state in
            if state.position >= length { return .end }
            if let failure = state.failure { throw failure }
            let rest = min(state.available - state.position, Self.pieceSize)
            return rest > 0 ? .read(Int(clamping: rest)) : .wait
        }
    }

    private func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isReady = state.withLockedValue { state in
                    if state.isCancelled || state.failure != nil || state.available > state.position { return true }
                    state.waiter = continuation
                    return false
                }
                if isReady { continuation.resume() }
            }
        } onCancel: {
            state.withLockedValue { state in
                state.isCancelled = true
                return state.takeWaiter()
            }?.resume()
        }
    }
}
