/// The subject of a subscription: everything, one operation, run or store, or a run's output.
package enum Topic: Sendable, Hashable, CustomStringConvertible {
    case board
    case operation(String)
    case run(String)
    case store(String)
    /// The lines of one run's output, which are not changes; the cursor is the line number.
    case output(String)

    /// The feed's name: `board`, `operation-…`, `run-…`, `store-…`, `output-…`.
    package var description: String {
        switch self {
        case .board: "board"
        case .operation(let id): "operation-\(id)"
        case .run(let id): "run-\(id)"
        case .store(let id): "store-\(id)"
        case .output(let id): "output-\(id)"
        }
    }

    /// Parses a feed's name; nil for anything else, and for ids that do not consist of `a-z`, `0-9` and single
    /// hyphens.
    package init?(_ name: some StringProtocol) {
        if name == "board" {
            self = .board
        } else if let id = Self.id(in: name, after: "operation-") {
            self = .operation(id)
        } else if let id = Self.id(in: name, after: "run-") {
            self = .run(id)
        } else if let id = Self.id(in: name, after: "store-") {
            self = .store(id)
        } else if let id = Self.id(in: name, after: "output-") {
            self = .output(id)
        } else {
            return nil
        }
    }

    /// Whether a text can be the id of a run or an operation, so that the names of all its feeds are valid.
    package static func isID(_ text: String) -> Bool { Topic("operation-\(text)") != nil }

    func contains(_ change: Change) -> Bool {
        switch (self, change.stream) {
        case (.board, _): true
        case (.operation(let id), .run): change.subject == id
        case (.run(let id), .run(let run)): id == run
        case (.store(let id), .store(let store)): id == store
        default: false
        }
    }

    /// The topics a change belongs to besides the board.
    static func streams(of change: Change) -> [Topic] {
        switch change.stream {
        case .run(let id): [.operation(change.subject), .run(id)]
        case .store(let id): [.store(id)]
        }
    }

    private static func id(in name: some StringProtocol, after prefix: String) -> String? {
        guard name.hasPrefix(prefix), name.utf8.count <= 64 else { return nil }
        let id = name.dropFirst(prefix.count)
        let isPlain = id.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
        }
        guard !id.isEmpty, isPlain, !id.contains("--"), !id.hasPrefix("-"), !id.hasSuffix("-") else { return nil }
        return String(id)
    }
}

/// Identifies a stream of changes: one run or one store.
///
/// Its text is also the name of the stream's feed.
package enum StreamID: Sendable, Hashable, CustomStringConvertible {
    case run(String)
    case store(String)

    /// Run ids that would collide with other paths, such as `/runs/export`; reporters and imports cannot use them.
    package static let reservedRuns: Set = [
        "after", "cancellations", "change", "deletions", "export", "retries", "views",
    ]

    /// `run-…` or `store-…`.
    package var description: String {
        switch self {
        case .run(let id): "run-\(id)"
        case .store(let id): "store-\(id)"
        }
    }

    /// Parses `run-…` or `store-…`; nil for anything else.
    init?(_ text: some StringProtocol) {
        if text.hasPrefix("run-") {
            self = .run(String(text.dropFirst(4)))
        } else if text.hasPrefix("store-") {
            self = .store(String(text.dropFirst(6)))
        } else {
            return nil
        }
    }
}
