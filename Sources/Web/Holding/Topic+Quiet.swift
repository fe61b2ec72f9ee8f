import Journals

extension Topic {
    /// The least time between two answers that bring something new, in milliseconds.
    ///
    /// Each change is to be seen by itself; of lines, many come at a time, and whole pages of them are painted at once.
    var quiet: Int64 {
        switch self {
        case .output: 200
        case .board, .operation, .run, .store: 50
        }
    }
}
