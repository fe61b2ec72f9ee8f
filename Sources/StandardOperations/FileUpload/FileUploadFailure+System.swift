import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension FileUploadFailure {
    /// What an `errno` means.
    static func ofSystem(_ code: CInt) -> Self {
        switch code {
        case ENOSPC, EDQUOT, EFBIG: .diskFull
        case EACCES, EPERM, EROFS: .forbidden
        default: .fileSystem(reason: String(cString: strerror(code)).lowercased())
        }
    }

    /// What an error of Foundation's file manager means.
    static func ofFoundation(_ error: any Error) -> Self {
        if let code = (error as? CocoaError)?.code {
            if code == .fileWriteOutOfSpace { return .diskFull }
            if code == .fileWriteNoPermission || code == .fileReadNoPermission { return .forbidden }
        }
        return .fileSystem(reason: "its folder cannot be used")
    }

    /// What any error that came out of an upload means; a destination's own says so in its own words, if it has some.
    init(_ error: any Error) {
        if let failure = error as? FileUploadFailure {
            self = failure
        } else if let explained = error as? any ExplainedError {
            self = .refused(reason: explained.description)
        } else {
            self = .refused(reason: "The destination did not take the file (\(type(of: error))). Retry.")
        }
    }
}
