import Foundation
import WeirStates

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

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

    /// The failure for any error of an upload; a destination's own error keeps its sentence, if it has one.
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
