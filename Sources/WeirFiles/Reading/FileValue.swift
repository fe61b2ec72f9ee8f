/// A value of an operation's file with its place: a text, a list or a mapping.
///
/// Every scalar is a text until the type that is declared for it says what it means, so that `no` is a text where a text
/// belongs and `010` is ten where a number does.
struct FileValue: Sendable, Hashable {
    indirect enum Content: Sendable, Hashable {
        /// A scalar; `isQuoted` where it stands in quotes or is a block.
        case text(String, isQuoted: Bool)
        case list([FileValue])
        case mapping([FileMember])
    }

    let content: Content
    let place: FilePlace

    /// The text of a scalar.
    var text: String? {
        guard case .text(let text, _) = content else { return nil }
        return text
    }

    /// The elements of a list.
    var list: [FileValue]? {
        guard case .list(let elements) = content else { return nil }
        return elements
    }

    /// The members of a mapping, in their order.
    var members: [FileMember]? {
        guard case .mapping(let members) = content else { return nil }
        return members
    }

    /// The member of that name.
    subscript(name: String) -> FileValue? { members?.first { $0.name == name }?.value }

    /// Whether nothing was written: `key:` and no more.
    var isEmpty: Bool { content == .text("", isQuoted: false) }

    /// What it is, for a mistake.
    var kind: String {
        switch content {
        case .text: isEmpty ? "nothing" : "a text"
        case .list: "a list"
        case .mapping: "a mapping"
        }
    }
}

/// A name and its value in a mapping.
struct FileMember: Sendable, Hashable {
    let name: String
    let place: FilePlace
    let value: FileValue
}

/// Where something stands in a file, both from 1.
struct FilePlace: Sendable, Hashable {
    let line: Int
    let column: Int

    static let start = FilePlace(line: 1, column: 1)
}
