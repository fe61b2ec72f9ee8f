/// Identifies a stream of changes: one run or one store.
///
/// Its text is also the name of the stream's feed.
package enum StreamID: Sendable, Hashable, CustomStringConvertible {
    /// The run with that id.
    case run(String)
    /// The store with that id.
    case store(String)

    /// What no run can be called whose name others choose: `/runs/export`, for example, is all runs as a file.
    package static let reservedRuns: Set = ["after", "cancellations", "change", "export", "retries", "views"]

    /// `run-…` or `store-…`.
    package var description: String {
        switch self {
        case .run(let id): "run-\(id)"
        case .store(let id): "store-\(id)"
        }
    }

    /// Reads `run-…` or `store-…`; nil for anything else.
    package init?(_ text: some StringProtocol) {
        if text.hasPrefix("run-") {
            self = .run(String(text.dropFirst(4)))
        } else if text.hasPrefix("store-") {
            self = .store(String(text.dropFirst(6)))
        } else {
            return nil
        }
    }
}
