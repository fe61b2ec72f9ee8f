import Foundation
import NIOConcurrencyHelpers
import WeirOperations
import WeirStates

/// Passes the bytes of a request's body to the run that reads them, one piece at a time.
///
/// Only the request's task reads the connection, so a cancelled run does not break it. It reads a piece only after the run
/// has taken the previous one, so memory does not grow with the file.
final class UploadPipe: FileContent {
    private enum State {
        case empty
        /// The writer waits for the reader to take a piece.
        case offered(Data, CheckedContinuation<Bool, Never>)
        /// The reader waits for a piece.
        case wanted(CheckedContinuation<Data?, any Error>)
        case finished(UploadFailure?)
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

    /// Passes a piece and waits until the run takes it; returns false if the reader has ended.
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

    /// Ends the file, with a failure if it was aborted.
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

/// Why the bytes of a file stopped arriving, as a message on the run's page.
struct UploadFailure: Error, LocalizedError, CustomStringConvertible, Sendable, Hashable {
    let description: String

    var errorDescription: String? { description }

    static func stopped(received: Int64, announced: Int64?) -> UploadFailure {
        let all = announced.map { " of \($0)" } ?? ""
        return UploadFailure(
            description: "The sender stopped before the end: \(received)\(all) bytes had arrived. Send the file again.")
    }

    /// The sender of a resumable upload is silent.
    static func silent(received: Int64, announced: Int64) -> UploadFailure {
        UploadFailure(
            description:
                "The sender has been away for a while: \(received) of \(announced) bytes have arrived and are kept. "
                + "Choose the same file again to continue.")
    }

    static func tooLarge(limit: Int64) -> UploadFailure {
        UploadFailure(
            description: "The file is larger than the \(ByteCount(clamping: limit)) that this server accepts.")
    }

    static let tooSlow = UploadFailure(
        description: "The file arrived too slowly, or stalled for too long. Send it again.")

    static let shutdown = UploadFailure(
        description: "The server was shut down while the file was arriving. Send it again when the server is back.")

    static let crowded = UploadFailure(description: "The server is receiving too much at once. Try again later.")

    static let revoked = UploadFailure(
        description: "The sender's rights were taken away while the file was arriving.")

    static let closed = UploadFailure(description: "The file is no longer being received.")
}
