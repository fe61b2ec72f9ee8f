/// Why a file cannot be a runbook, as a sentence with what to do.
public struct RunbookFileError: Error, Equatable, CustomStringConvertible {
    /// What is wrong and what to do, without the file's name.
    public let detail: String
    /// The line it is about, from 1; nil when it is about the whole file.
    public let line: Int?
    /// The file's name, as it was given.
    public let file: String

    /// Makes an error.
    public init(_ detail: String, file: String, line: Int? = nil) {
        self.detail = detail
        self.file = file
        self.line = line
    }

    /// The file, the line, and what is wrong.
    public var description: String { "\(file)\(line.map { ":\($0)" } ?? ""): \(detail)" }
}
