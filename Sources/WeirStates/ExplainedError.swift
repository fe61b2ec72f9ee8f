import Foundation

/// An error whose description is a sentence for users: what happened and what to do, without paths or secrets.
public protocol ExplainedError: Error, CustomStringConvertible {}

extension Error {
    /// What went wrong, in a sentence that can be shown to any user.
    ///
    /// An ``ExplainedError`` provides its own sentence, and so does a `LocalizedError`, unless its text names a file. A
    /// `CocoaError` that users can act on has a sentence here. For any other error, the sentence contains only the name
    /// of its type: Swift's own description of an error can contain paths, addresses and other values, and belongs in
    /// the log.
    ///
    /// ```swift
    /// static func failed(_ error: any Error) -> Self { .failed(message: error.explanation) }
    /// ```
    public var explanation: String {
        ownExplanation
            ?? "This failed with an error that has no explanation (\(type(of: self))). "
            + "Try again; the server's log has details."
    }

    /// Whether `explanation` says what happened.
    ///
    /// If not, the error belongs in the log.
    package var isExplained: Bool { ownExplanation != nil }

    private var ownExplanation: String? {
        switch self {
        case let error as any ExplainedError: error.description
        case let error as CocoaError: error.sentence
        case let error as any LocalizedError:
            error.errorDescription.flatMap { $0.isEmpty || $0.namesFile ? nil : $0 }
        default: nil
        }
    }
}

extension CocoaError {
    /// A sentence without the file names that the error contains; nil for errors that users cannot act on.
    fileprivate var sentence: String? {
        switch code {
        case .fileNoSuchFile, .fileReadNoSuchFile:
            "A required file is missing. Restore it, then try again."
        case .fileReadNoPermission, .fileWriteNoPermission:
            "The server has no permission to read or write a required file. Grant it, then try again."
        case .fileWriteOutOfSpace: "The disk is full. Make room, then try again."
        case .fileWriteFileExists: "A file with the same name already exists. Remove it, then try again."
        default: nil
        }
    }
}

extension String {
    /// Whether a word of the text is an absolute path or a file's URL.
    fileprivate var namesFile: Bool {
        split { $0.isWhitespace || "\"'`“”‘’«»()[]{}<>=,;".contains($0) }.contains { word in
            (word.hasPrefix("/") && word.count > 1) || word.hasPrefix("~/") || word.hasPrefix("file:")
                || word.hasPrefix("\\\\") || word.dropFirst().hasPrefix(":\\")
        }
    }
}
