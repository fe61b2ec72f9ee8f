/// Why a snapshot does not match the current markup.
public enum SnapshotError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The markup differs from the snapshot; the difference is a unified diff from the snapshot to the markup.
    case differs(file: String, difference: String)

    /// The snapshot was just written: again because the environment requests it, or because there was none.
    case recorded(file: String, isAnew: Bool)

    /// The markup has no canonical form.
    case notWellFormed(MarkupError)

    /// The name is not a valid file name.
    case badName(String)

    /// The snapshot cannot be read or written.
    case inaccessible(file: String, reason: String)

    /// What happened and what to do.
    public var description: String {
        switch self {
        case .differs(let file, let difference):
            "The markup differs from \(file). If the new markup is correct, run again with "
                + "\(MarkupSnapshots.recordingVariable)=1 and review the changes.\n\(difference)"
        case .recorded(let file, isAnew: true):
            "Recorded \(file). Review it, and run again without \(MarkupSnapshots.recordingVariable)."
        case .recorded(let file, isAnew: false):
            "There was no snapshot, so it was recorded: \(file). Review it, and run again."
        case .notWellFormed(let error):
            "The markup is not well-formed.\n\(error)"
        case .badName(let name):
            "“\(name)” is not a valid name of a snapshot. Use letters, digits, spaces, and . - _ inside."
        case .inaccessible(let file, let reason):
            "The snapshot \(file) cannot be read or written: \(reason)"
        }
    }
}
