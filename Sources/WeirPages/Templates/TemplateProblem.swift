/// Something wrong with a template or a table of strings: where it is and what to do about it.
public struct TemplateProblem: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The file, relative to its folder of templates, such as `operations/greeting/success.mustache`.
    package let file: String
    /// The line, from 1; 0 when the file as a whole is meant.
    package let line: Int
    /// The column, from 1; 0 when the line as a whole is meant.
    package let column: Int
    /// What is wrong, in a sentence.
    package let message: String

    /// Makes a problem of its parts.
    package init(file: String, line: Int, column: Int = 0, message: String) {
        self.file = file
        self.line = line
        self.column = column
        self.message = message
    }

    /// `file:line: message`, as compilers write it.
    public var description: String { "\(place): \(message)" }

    /// The file, with line and column where they are known.
    package var place: String {
        column > 0 ? "\(file):\(line):\(column)" : line > 0 ? "\(file):\(line)" : file
    }

    /// By file, then line, then message.
    public static func < (left: TemplateProblem, right: TemplateProblem) -> Bool {
        (left.file, left.line, left.column, left.message) < (right.file, right.line, right.column, right.message)
    }
}
