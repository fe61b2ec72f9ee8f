/// Why a file is not a valid runbook, as a sentence with what to do.
package struct RunbookFileError: Error, Equatable, CustomStringConvertible {
    /// What is wrong and what to do, without the file's name.
    package let detail: String
    /// The line it is about, from 1; nil if it is about the whole file.
    package let line: Int?
    /// The file's name, as it was given.
    package let file: String

    /// Makes an error.
    package init(_ detail: String, file: String, line: Int? = nil) {
        self.detail = detail
        self.file = file
        self.line = line
    }

    /// The file, the line, and what is wrong.
    package var description: String { "\(file)\(line.map { ":\($0)" } ?? ""): \(detail)" }
}
