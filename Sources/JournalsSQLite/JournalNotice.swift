public import Journals

/// Something a person should know about how a journal was opened.
public enum JournalNotice: Sendable, Hashable, CustomStringConvertible {
    /// The file was damaged; it was renamed and a new journal, with a new epoch, was begun.
    case setAside(file: String, at: Timestamp)

    /// A sentence for a person, without the folder.
    public var description: String {
        switch self {
        case .setAside(let file, _):
            "The journal was damaged. It was kept as \(file), and a new one was begun: what ran before is not shown."
        }
    }
}
