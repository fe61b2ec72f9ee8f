/// A position in a test: the line where a failure is reported.
package struct SourcePlace: Sendable, Hashable {
    /// The module and file.
    package let fileID: StaticStringText
    /// The file's path.
    package let filePath: StaticStringText
    /// The line, from 1.
    package let line: UInt
    /// The column, from 1.
    package let column: UInt

    /// The place of the call, unless another is given.
    package init(fileID: StaticString, filePath: StaticString, line: UInt, column: UInt) {
        self.fileID = StaticStringText(fileID)
        self.filePath = StaticStringText(filePath)
        self.line = line
        self.column = column
    }

    /// A comparable static string.
    package struct StaticStringText: Sendable, Hashable {
        let text: StaticString

        init(_ text: StaticString) { self.text = text }

        /// Compares the texts.
        package static func == (left: Self, right: Self) -> Bool { left.text.description == right.text.description }

        /// Hashes the text.
        package func hash(into hasher: inout Hasher) { hasher.combine(text.description) }
    }
}
