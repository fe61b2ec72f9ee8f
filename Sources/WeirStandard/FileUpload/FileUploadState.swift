import WeirOperations
package import WeirStates

/// The states of an upload: the phases of *StateFlow on KMP and SwiftUI*, preceded by receiving.
package enum FileUploadState: OperationState {
    case none
    /// The file is being received; `bytes` have arrived.
    case receiving(filename: String, bytes: Int64, total: Int64?)
    /// The file is being compressed; `bytes` have been compressed.
    case compressing(filename: String, bytes: Int64, total: Int64, compressedBytes: Int64)
    /// The session at the destination is being opened.
    case openingSession(filename: String, destination: String, size: Int64)
    case uploading(filename: String, destination: String, bytes: Int64, total: Int64, part: Int, parts: Int)
    /// The destination has all parts and is publishing the file.
    case closingSession(filename: String, destination: String, size: Int64)
    /// The upload is complete; the SHA-256 is that of the original, in hexadecimal digits.
    case success(
        filename: String, destination: String, location: String, originalSize: Int64, storedSize: Int64,
        sha256: String, parts: Int, milliseconds: Int64)
    /// The upload failed, and the destination has no file.
    ///
    /// With `canRetry`, the received file is kept.
    case error(message: String, during: FileUploadStep, canRetry: Bool)
    /// The upload was cancelled and everything removed.
    ///
    /// `during` is nil if it had not started.
    case cancelled(during: FileUploadStep?)

    package static var initial: Self { .none }

    package static func failed(_ error: any Error) -> Self {
        let known = error as? FileUploadError
        return .error(
            message: error.explanation, during: known?.step ?? .receiving, canRetry: known?.canRetry ?? false)
    }

    package static func cancelled(from last: Self) -> Self { .cancelled(during: last.step) }

    package var phase: Phase {
        switch self {
        case .none: .idle
        case .receiving, .compressing, .openingSession, .uploading, .closingSession: .active
        case .success: .succeeded
        case .error: .failed
        case .cancelled: .cancelled
        }
    }

    /// The bytes processed in the current step.
    package var progress: WorkProgress? {
        switch self {
        case .receiving(_, let bytes, let total): WorkProgress(bytes, of: total, unit: .bytes)
        case .compressing(_, let bytes, let total, _): WorkProgress(bytes, of: total, unit: .bytes)
        case .uploading(_, _, let bytes, let total, _, _): WorkProgress(bytes, of: total, unit: .bytes)
        default: nil
        }
    }

    /// The current or last step.
    var step: FileUploadStep? {
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

/// The steps of an upload, named as the cases of ``FileUploadState``.
package enum FileUploadStep: String, Codable, Sendable, Hashable {
    case receiving
    case compressing
    case openingSession
    case uploading
    case closingSession
}

extension FileUploadState {
    package static var samples: [Self] {
        let (name, place) = ("backup-2026-11-20.tar", "archive")
        return [
            .none,
            .receiving(filename: name, bytes: 134_217_728, total: 432_013_312),
            .receiving(filename: name, bytes: 134_217_728, total: nil),
            .compressing(filename: name, bytes: 268_435_456, total: 432_013_312, compressedBytes: 160_432_128),
            .openingSession(filename: name, destination: place, size: 267_386_880),
            .uploading(
                filename: name, destination: place, bytes: 165_675_008, total: 267_386_880, part: 632, parts: 1_020),
            .closingSession(filename: name, destination: place, size: 267_386_880),
            .success(
                filename: name, destination: place, location: "archive/backup-2026-11-20.tar.gz",
                originalSize: 432_013_312, storedSize: 267_386_880,
                sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", parts: 1_020,
                milliseconds: 12_804),
            failed(FileUploadError(failure: .diskFull, step: .uploading, canRetry: true)),
            failed(FileUploadError(failure: .gone, step: .receiving, canRetry: false)),
            .cancelled(during: .compressing), .cancelled(during: nil),
        ]
    }
}
