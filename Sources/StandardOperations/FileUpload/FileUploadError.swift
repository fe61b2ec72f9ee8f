/// Why an upload failed, in which step, and whether its bytes are still here.
public struct FileUploadError: ExplainedError, Hashable {
    /// What went wrong.
    public let failure: FileUploadFailure
    /// The step it went wrong in.
    public let step: FileUploadStep
    /// Whether a retry works without sending the file again.
    public let canRetry: Bool

    /// Makes an error.
    public init(failure: FileUploadFailure, step: FileUploadStep, canRetry: Bool) {
        self.failure = failure
        self.step = step
        self.canRetry = canRetry
    }

    /// The failure's sentence.
    public var description: String { failure.description }
}
