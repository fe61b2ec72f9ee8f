/// Why a file could not be taken or passed on.
public enum FileUploadFailure: ExplainedError, Hashable {
    /// The disk, or the part of it that may be used, is full.
    case diskFull
    /// Files may not be read or written there.
    case forbidden
    /// The file system said no; the words are its own.
    case fileSystem(reason: String)
    /// The bytes stopped coming, or came malformed.
    case incomplete
    /// More bytes came than are taken.
    case tooLarge(limit: Int64)
    /// The file's id is no id.
    case malformedID
    /// The bytes of an earlier run are no longer kept.
    case gone
    /// There is no such destination.
    case unknownDestination(name: String)
    /// The destination did not take it; the reason is a sentence.
    case refused(reason: String)

    /// What happened and what to do, in a sentence.
    public var description: String {
        switch self {
        case .diskFull: "The disk is full. Make room, then retry."
        case .forbidden: "The server may not write where the file is to go. Let it, then retry."
        case .fileSystem(let reason): "The file could not be stored (\(reason)). Look at the disk, then retry."
        case .incomplete: "The file did not arrive whole: the sender stopped half way. Send it again."
        case .tooLarge(let limit): "The file is larger than the \(limit) bytes that are taken. Send a smaller one."
        case .malformedID: "The file was described wrongly. Send it again."
        case .gone: "The file is no longer kept here. Send it again."
        case .unknownDestination(let name):
            "There is no destination named \(name.inert(limit: 60)). Choose one of those offered."
        case .refused(let reason): reason
        }
    }
}
