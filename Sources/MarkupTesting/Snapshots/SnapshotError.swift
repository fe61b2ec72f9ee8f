/// Why a snapshot does not speak for the markup of now.
public enum SnapshotError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The markup is not what the snapshot says; the difference is a unified one, from the snapshot to the markup.
    case differs(file: String, difference: String)

    /// The snapshot was written just now: anew because the environment asks for it, or because there was none.
    case recorded(file: String, isAnew: Bool)

    /// The markup has no canonical form.
    case notWellFormed(MarkupError)

    /// The name cannot be one of a file.
    case badName(String)

    /// The file system does not let the snapshot be read or written.
    case inaccessible(file: String, reason: String)

    /// What happened and what to do.
    public var description: String {
        switch self {
        case .differs(let file, let difference):
            "The markup is not that of \(file). If it is as it should be, run again with "
                + "\(MarkupSnapshots.recordingVariable)=1 and look at what changed.\n\(difference)"
        case .recorded(let file, isAnew: true):
            "Recorded \(file). Look at it, and run again without \(MarkupSnapshots.recordingVariable)."
        case .recorded(let file, isAnew: false):
            "There was no snapshot, so it was recorded: \(file). Look at it, and run again."
        case .notWellFormed(let error):
            "The markup is not well-formed.\n\(error)"
        case .badName(let name):
            "“\(name)” cannot name a snapshot. Use letters, digits, spaces, and . - _ inside."
        case .inaccessible(let file, let reason):
            "The snapshot \(file) cannot be read or written: \(reason)"
        }
    }
}
