/// Where in a test something was asked for: the line that a failure is shown at.
public struct SourcePlace: Sendable, Hashable {
    /// Module and file.
    public let fileID: StaticStringText
    /// The file's path.
    public let filePath: StaticStringText
    /// The line, from 1.
    public let line: UInt
    /// The column, from 1.
    public let column: UInt

    /// The place of the call, unless another is given.
    public init(fileID: StaticString, filePath: StaticString, line: UInt, column: UInt) {
        self.fileID = StaticStringText(fileID)
        self.filePath = StaticStringText(filePath)
        self.line = line
        self.column = column
    }

    /// A text of the program itself, comparable.
    public struct StaticStringText: Sendable, Hashable {
        let text: StaticString

        init(_ text: StaticString) { self.text = text }

        /// Equal texts are equal.
        public static func == (left: Self, right: Self) -> Bool { left.text.description == right.text.description }

        /// Hashes the text.
        public func hash(into hasher: inout Hasher) { hasher.combine(text.description) }
    }
}
