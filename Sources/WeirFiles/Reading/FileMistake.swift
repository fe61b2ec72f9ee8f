/// A mistake in an operation's file: where it stands, and what would be right.
package struct FileMistake: Error, Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The file's name within its folder.
    package let file: String
    /// The line, from 1.
    package let line: Int
    /// The column, from 1, in Unicode scalars.
    package let column: Int
    /// What is wrong and what to do, in a sentence or two.
    package let detail: String

    /// Makes a mistake of its parts.
    package init(file: String, line: Int, column: Int, detail: String) {
        self.file = file
        self.line = line
        self.column = column
        self.detail = detail
    }

    /// `file:line:column: detail`, as compilers write it.
    package var description: String { "\(file):\(line):\(column): \(detail)" }

    /// By file, then by place.
    package static func < (left: FileMistake, right: FileMistake) -> Bool {
        (left.file, left.line, left.column, left.detail) < (right.file, right.line, right.column, right.detail)
    }
}

/// Collects the mistakes of one file.
struct MistakeList {
    let file: String
    private(set) var mistakes: [FileMistake] = []
    /// How many are reported of one file: a file of another kind has one in each line.
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
