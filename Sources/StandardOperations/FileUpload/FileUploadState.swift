public import Operations
public import States

/// The states of an upload: each phase that *StateFlow on KMP and SwiftUI* names, and receiving before them.
public enum FileUploadState: OperationState {
    /// Nothing has been sent.
    case none
    /// So many bytes of the file have arrived.
    case receiving(filename: String, bytes: Int64, total: Int64?)
    /// So many bytes of the file have been compressed, into so many.
    case compressing(filename: String, bytes: Int64, total: Int64, compressedBytes: Int64)
    /// The destination has been asked to take so many bytes.
    case openingSession(filename: String, destination: String, size: Int64)
    /// It has taken so many, in so many parts.
    case uploading(filename: String, destination: String, bytes: Int64, total: Int64, part: Int, parts: Int)
    /// It has all and has been asked to give them their name.
    case closingSession(filename: String, destination: String, size: Int64)
    /// The file lies at the location, whole. The SHA-256 is that of the original, in hexadecimal digits.
    case success(
        filename: String, destination: String, location: String, originalSize: Int64, storedSize: Int64,
        sha256: String, parts: Int, milliseconds: Int64)
    /// It did not work, and nothing lies at the destination. A retry works without sending again if the bytes are kept.
    case error(message: String, during: FileUploadStep, canRetry: Bool)
    /// It was asked to stop, and nothing of it is left. `during` is nil when it had not begun.
    case cancelled(during: FileUploadStep?)

    /// Nothing has been sent.
    public static var initial: Self { .none }

    /// The error in a sentence, with what ``FileUploadError`` knows.
    public static func failed(_ error: any Error) -> Self {
        let known = error as? FileUploadError
        return .error(
            message: sentence(for: error), during: known?.step ?? .receiving, canRetry: known?.canRetry ?? false)
    }

    /// Cancelled in the step it was in.
    public static func cancelled(from last: Self) -> Self { .cancelled(during: last.step) }

    /// Where it stands.
    public var phase: Phase {
        switch self {
        case .none: .idle
        case .receiving, .compressing, .openingSession, .uploading, .closingSession: .active
        case .success: .succeeded
        case .error: .failed
        case .cancelled: .cancelled
        }
    }

    /// The bytes of the step, in those that move some.
    public var progress: WorkProgress? {
        switch self {
        case .receiving(_, let bytes, let total): WorkProgress(bytes, of: total, unit: .bytes)
        case .compressing(_, let bytes, let total, _): WorkProgress(bytes, of: total, unit: .bytes)
        case .uploading(_, _, let bytes, let total, _, _): WorkProgress(bytes, of: total, unit: .bytes)
        default: nil
        }
    }

    /// The step it is in or ended in.
    public var step: FileUploadStep? {
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
