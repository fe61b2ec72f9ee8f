public import WeirFlows
public import WeirStates

/// The short way to an operation: a body that reports how it goes, and returns a result or throws.
///
/// ```swift
/// struct Backup: SimpleOperation {
///     struct Input: FormInput {
///         var folder = ""
///         static let fields = [InputField(\Self.folder, "Folder", required: true)]
///     }
///
///     func run(_ input: Input, report: RunReporter) async throws -> String {
///         let files = try FileManager.default.contentsOfDirectory(atPath: input.folder)
///         for (index, file) in files.enumerated() {
///             report.progress(index, of: files.count, note: file)
///             try await copy(file)
///         }
///         return "Copied \(files.count) files."
///     }
/// }
/// ```
/// Its states are ``SimpleState``, and the bundled templates show them. It is an operation like any other: everything that
/// is done with operations can be done with it.
public protocol SimpleOperation<Input, Result>: OutputOperation where State == SimpleState<Result> {
    /// What a run is started with; `NoInput` if nothing is needed.
    associatedtype Input
    /// What the work results in; `NoResult` if there is nothing to say.
    associatedtype Result: OperationResult

    /// Does the work of one run.
    ///
    /// Called once a run. A run that was cancelled ends at once as cancelled, whatever is reported, returned or thrown
    /// later; the work ends when it next looks whether its task is cancelled, as every `try await` of the standard library
    /// does.
    /// - Parameters:
    ///   - input: What the run was started with.
    ///   - report: Takes the progress, notes and lines of output.
    /// - Returns: The result.
    /// - Throws: Any error: the run then fails, with the error's `explanation` as its message. Throw an
    ///   ``OperationFailure`` to say what people should read.
    func run(_ input: Input, report: RunReporter) async throws -> Result
}

extension SimpleOperation {
    /// Does the work, and passes through the states of it.
    public func perform(
        _ input: Input, state: MutableStateFlow<SimpleState<Result>>, output: OutputWriter
    ) async throws {
        state.value = .working(note: nil, progress: nil)
        let report = RunReporter(output: output) { note, progress in
            state.update { last in
                guard case .working(let oldNote, let oldProgress) = last else { return last }
                return .working(note: note ?? oldNote, progress: progress ?? oldProgress)
            }
        }
        state.value = .succeeded(try await run(input, report: report))
    }
}

/// An error with a sentence that people read on the run's page: what went wrong and what to do.
///
/// ```swift
/// throw OperationFailure("The folder is empty. Choose another one.")
/// ```
public struct OperationFailure: ExplainedError, Sendable, Hashable {
    /// The sentence.
    public let description: String

    /// Makes an error of a sentence, which anybody may read: without paths and secrets.
    public init(_ description: String) { self.description = description }
}
