/// A value of an operation's file with its location: a text, a list or a mapping.
///
/// Scalars stay texts until a declared type interprets them: `no` can be a text, and `010` is the number ten.
struct FileValue: Sendable, Hashable {
    indirect enum Content: Sendable, Hashable {
        /// A scalar; `isQuoted` if it is quoted or a block.
        case text(String, isQuoted: Bool)
        case list([FileValue])
        case mapping([FileMember])
    }

    let content: Content
    let place: FilePlace

    var text: String? {
        guard case .text(let text, _) = content else { return nil }
        return text
    }

    var list: [FileValue]? {
        guard case .list(let elements) = content else { return nil }
        return elements
    }

    /// The texts of a list, or one text alone.
    var texts: [String]? { list?.compactMap(\.text) ?? text.map { [$0] } }

    var members: [FileMember]? {
        guard case .mapping(let members) = content else { return nil }
        return members
    }

    subscript(name: String) -> FileValue? { members?.first { $0.name == name }?.value }

    /// Whether the value is absent, as in `key:`.
    var isEmpty: Bool { content == .text("", isQuoted: false) }

    /// The description of the type in a mistake.
    var kind: String {
        switch content {
        case .text: isEmpty ? "nothing" : "a text"
        case .list: "a list"
        case .mapping: "a mapping"
        }
    }
}

struct FileMember: Sendable, Hashable {
    let name: String
    let place: FilePlace
    let value: FileValue
}

/// A location in a file; line and column start at 1.
struct FilePlace: Sendable, Hashable {
    let line: Int
    let column: Int

    static let start = FilePlace(line: 1, column: 1)
}

/// A mistake in an operation's file, with its location and the fix.
package struct FileMistake: Error, Sendable, Hashable, Comparable, CustomStringConvertible {
    package let file: String
    /// The line, starting at 1, and the column in Unicode scalars, starting at 1.
    package let line: Int
    package let column: Int
    package let detail: String

    package var description: String { "\(file):\(line):\(column): \(detail)" }

    package static func < (left: FileMistake, right: FileMistake) -> Bool {
        (left.file, left.line, left.column, left.detail) < (right.file, right.line, right.column, right.detail)
    }
}

struct MistakeList {
    let file: String
    private(set) var mistakes: [FileMistake] = []
    /// The maximum number of reported mistakes: an unrelated file has one in every line.
    static let limit = 50

    init(file: String) { self.file = file }

    mutating func note(_ place: FilePlace, _ detail: String) {
        guard mistakes.count < Self.limit else { return }
        let mistake = FileMistake(file: file, line: place.line, column: place.column, detail: detail)
        if !mistakes.contains(mistake) { mistakes.append(mistake) }
    }

    mutating func note(_ value: FileValue, _ detail: String) { note(value.place, detail) }

    mutating func take(_ mistake: FileMistake) { mistakes.append(mistake) }
}
