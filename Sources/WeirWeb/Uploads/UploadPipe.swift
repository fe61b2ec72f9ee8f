import Foundation
import NIOConcurrencyHelpers
import WeirOperations

/// Hands the bytes of a request's body from the request's task to the run that reads them, one piece at a time.
///
/// The request's task alone reads the connection, so that a cancelled run does not cut it off; and it reads the next piece
/// only when the run has taken the last one, so that memory does not grow with the file.
final class UploadPipe: FileContent {
    private enum State {
        /// Neither side is there.
        case empty
        /// A piece waits for the reader, and its writer with it.
        case offered(Data, CheckedContinuation<Bool, Never>)
        /// The reader waits for a piece.
        case wanted(CheckedContinuation<Data?, any Error>)
        /// No more pieces: the file is over, or failed.
        case finished(UploadFailure?)
        /// The reader is gone.
        case closed
    }

    private enum Delivery {
        case wait
        case piece(Data, CheckedContinuation<Bool, Never>)
        case end(UploadFailure?)
    }

    private let state = NIOLockedValueBox(State.empty)

    // MARK: The run's side

    func next() async throws -> Data? {
        try await withTaskCancellationHandler {
            try Task.checkCancellation()
            return try await withCheckedThrowingContinuation { continuation in
                let delivery = state.withLockedValue { state -> Delivery in
                    switch state {
                    case .empty:
                        state = .wanted(continuation)
                        return .wait
                    case .offered(let piece, let writer):
                        state = .empty
                        return .piece(piece, writer)
                    case .finished(let failure): return .end(failure)
                    case .wanted, .closed: return .end(.closed)
                    }
                }
                switch delivery {
                case .wait: break
                case .piece(let piece, let writer):
                    writer.resume(returning: true)
                    continuation.resume(returning: piece)
                case .end(let failure?): continuation.resume(throwing: failure)
                case .end(nil): continuation.resume(returning: nil)
                }
            }
        } onCancel: {
            close(throwing: CancellationError())
        }
    }

    // MARK: The request's side

    /// Hands over a piece and waits until the run has taken it; false when nobody reads any more.
    func offer(_ piece: Data) async -> Bool {
        await withCheckedContinuation { writer in
            let (reader, isOpen) = state.withLockedValue { state -> (CheckedContinuation<Data?, any Error>?, Bool?) in
                switch state {
                case .empty:
                    state = .offered(piece, writer)
                    return (nil, nil)
                case .wanted(let reader):
                    state = .empty
                    return (reader, true)
                case .offered, .finished, .closed: return (nil, false)
                }
            }
            reader?.resume(returning: piece)
            if let isOpen { writer.resume(returning: isOpen) }
        }
    }

    /// Says that the file is over, or why it broke off.
    func finish(_ failure: UploadFailure? = nil) {
        let reader = state.withLockedValue { state -> CheckedContinuation<Data?, any Error>? in
            switch state {
            case .empty, .offered:
                state = .finished(failure)
                return nil
            case .wanted(let reader):
                state = .finished(failure)
                return reader
            case .finished, .closed: return nil
            }
        }
        if let failure { reader?.resume(throwing: failure) } else { reader?.resume(returning: nil) }
    }

    /// Says that nobody reads any more: the run has ended.
    func close() { close(throwing: UploadFailure.closed) }

    private func close(throwing error: any Error) {
        let before = state.withLockedValue { state -> State in
            let before = state
            if case .finished = before { return before }
            state = .closed
            return before
        }
        switch before {
        case .offered(_, let writer): writer.resume(returning: false)
        case .wanted(let reader): reader.resume(throwing: error)
        case .empty, .finished, .closed: break
        }
    }
}
