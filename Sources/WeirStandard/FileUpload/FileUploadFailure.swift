import WeirStates

/// Why a file could not be received or passed on.
package enum FileUploadFailure: ExplainedError, Hashable {
    /// The disk, or the part of it that can be used, is full.
    case diskFull
    /// The server has no permission to read or write files there.
    case forbidden
    /// The file system reported an error; the reason is its own.
    case fileSystem(reason: String)
    /// The bytes stopped arriving, or were malformed.
    case incomplete
    /// The bytes stopped arriving, and whoever delivered them says why, in a sentence.
    case interrupted(reason: String)
    /// More bytes arrived than are allowed.
    case tooLarge(limit: Int64)
    /// The file's id is not valid.
    case malformedID
    /// The bytes of an earlier run are no longer kept.
    case gone
    /// There is no such destination.
    case unknownDestination(name: String)
    /// The destination did not accept it; the reason is a sentence.
    case refused(reason: String)

    /// What happened and what to do, in a sentence.
    package var description: String {
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
