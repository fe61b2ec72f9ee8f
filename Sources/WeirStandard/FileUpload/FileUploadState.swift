import WeirOperations
package import WeirStates

/// The states of an upload: each phase that *StateFlow on KMP and SwiftUI* names, and receiving before them.
package enum FileUploadState: OperationState {
    /// Nothing has been sent.
    case none
    /// The file is arriving; `bytes` have arrived.
    case receiving(filename: String, bytes: Int64, total: Int64?)
    /// The file is being compressed; `bytes` have been compressed.
    case compressing(filename: String, bytes: Int64, total: Int64, compressedBytes: Int64)
    /// The destination has been asked to accept the compressed bytes.
    case openingSession(filename: String, destination: String, size: Int64)
    /// The destination is receiving the parts.
    case uploading(filename: String, destination: String, bytes: Int64, total: Int64, part: Int, parts: Int)
    /// The destination has everything and is giving the file its name.
    case closingSession(filename: String, destination: String, size: Int64)
    /// The file is complete at the location.
    ///
    /// The SHA-256 is that of the original, in hexadecimal digits.
    case success(
        filename: String, destination: String, location: String, originalSize: Int64, storedSize: Int64,
        sha256: String, parts: Int, milliseconds: Int64)
    /// It failed, and nothing is at the destination.
    ///
    /// If the bytes are kept, a retry need not send them again.
    case error(message: String, during: FileUploadStep, canRetry: Bool)
    /// It was cancelled, and nothing of it is left.
    ///
    /// `during` is nil if it had not begun.
    case cancelled(during: FileUploadStep?)

    /// Nothing has been sent.
    package static var initial: Self { .none }

    /// The error in a sentence, with what ``FileUploadError`` knows.
    package static func failed(_ error: any Error) -> Self {
        let known = error as? FileUploadError
        return .error(
            message: error.explanation, during: known?.step ?? .receiving, canRetry: known?.canRetry ?? false)
    }

    /// Cancelled in the step it was in.
    package static func cancelled(from last: Self) -> Self { .cancelled(during: last.step) }

    /// The phase of the state.
    package var phase: Phase {
        switch self {
        case .none: .idle
        case .receiving, .compressing, .openingSession, .uploading, .closingSession: .active
        case .success: .succeeded
        case .error: .failed
        case .cancelled: .cancelled
        }
    }

    /// The bytes of the step, if it moves bytes.
    package var progress: WorkProgress? {
        switch self {
        case .receiving(_, let bytes, let total): WorkProgress(bytes, of: total, unit: .bytes)
        case .compressing(_, let bytes, let total, _): WorkProgress(bytes, of: total, unit: .bytes)
        case .uploading(_, _, let bytes, let total, _, _): WorkProgress(bytes, of: total, unit: .bytes)
        default: nil
        }
    }

    /// The step it is in or ended in.
    package var step: FileUploadStep? {
        switch self {
        case .none, .success: nil
        case .receiving: .receiving
        case .compressing: .compressing
        case .openingSession: .openingSession
        case .uploading: .uploading
        case .closingSession: .closingSession
        case .error(_, let step, _): step
        case .cancelled(let step): step
        }
    }
}

/// What an upload is doing; the names are those of ``FileUploadState``'s cases.
package enum FileUploadStep: String, Codable, Sendable, Hashable {
    /// The bytes are arriving.
    case receiving
    /// They are being compressed.
    case compressing
    /// The destination is being asked to accept them.
    case openingSession
    /// It is receiving them.
    case uploading
    /// It is giving the file its name.
    case closingSession
}
