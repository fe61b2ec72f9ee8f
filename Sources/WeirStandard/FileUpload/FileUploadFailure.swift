import Foundation
import WeirStates

/// The reason why a file could not be received or uploaded.
enum FileUploadFailure: ExplainedError, Hashable {
    /// The disk or a quota is full.
    case diskFull
    case forbidden
    case fileSystem(reason: String)
    /// The transfer ended early or was malformed.
    case incomplete
    /// The transfer ended early; the reason is a sentence.
    case interrupted(reason: String)
    case tooLarge(limit: Int64)
    case malformedID
    /// The file of an earlier run is no longer kept.
    case gone
    case unknownDestination(name: String)
    /// The destination rejected the file; the reason is a sentence.
    case refused(reason: String)

    /// The reason and the remedy.
    var description: String {
        switch self {
        case .diskFull: "The disk is full. Free some space, then retry."
        case .forbidden: "The server has no permission to write to the destination. Grant it, then retry."
        case .fileSystem(let reason): "The file could not be stored (\(reason)). Check the disk, then retry."
        case .incomplete: "The file did not arrive completely: the sender stopped before the end. Send it again."
        case .interrupted(let reason): reason
        case .tooLarge(let limit): "The file is larger than the limit of \(limit) bytes. Send a smaller one."
        case .malformedID: "The file was described wrongly. Send it again."
        case .gone: "The file is no longer kept here. Send it again."
        case .unknownDestination(let name):
            "There is no destination named \(name.inert(limit: 60)). Choose one of those offered."
        case .refused(let reason): reason
        }
    }
}

/// The failure of an upload, with its step.
struct FileUploadError: ExplainedError, Hashable {
    let failure: FileUploadFailure
    let step: FileUploadStep
    /// Whether the file is kept, so that a retry needs no new upload.
    let canRetry: Bool

    var description: String { failure.description }
}

extension FileUploadFailure {
    /// The failure for an `errno`.
    static func ofSystem(_ code: CInt) -> Self {
        switch code {
        case ENOSPC, EDQUOT, EFBIG: .diskFull
        case EACCES, EPERM, EROFS: .forbidden
        default: .fileSystem(reason: String(cString: strerror(code)).lowercased())
        }
    }

    /// The failure for an error of Foundation's file manager.
    static func ofFoundation(_ error: any Error) -> Self {
        if let code = (error as? CocoaError)?.code {
            if code == .fileWriteOutOfSpace { return .diskFull }
            if code == .fileWriteNoPermission || code == .fileReadNoPermission { return .forbidden }
        }
        return .fileSystem(reason: "its folder cannot be used")
    }

    /// The failure for any error of an upload; explained errors of a destination keep their message.
    init(_ error: any Error) {
        if let failure = error as? FileUploadFailure {
            self = failure
        } else if let explained = error as? any ExplainedError {
            self = .refused(reason: explained.description)
        } else {
            self = .refused(reason: "The destination did not accept the file (\(type(of: error))). Retry.")
        }
    }
}
