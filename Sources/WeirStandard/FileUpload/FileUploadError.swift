import WeirStates

/// Why an upload failed, in which step, and whether its bytes are still here.
package struct FileUploadError: ExplainedError, Hashable {
    /// What went wrong.
    package let failure: FileUploadFailure
    /// The step it went wrong in.
    package let step: FileUploadStep
    /// Whether a retry works without sending the file again.
    package let canRetry: Bool

    /// Creates an error.
    package init(failure: FileUploadFailure, step: FileUploadStep, canRetry: Bool) {
        self.failure = failure
        self.step = step
        self.canRetry = canRetry
    }

    /// The failure's sentence.
    package var description: String { failure.description }
}
