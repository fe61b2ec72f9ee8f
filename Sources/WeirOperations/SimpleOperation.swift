public import WeirFlows
public import WeirStates

/// A concise form of an operation: a body that reports its progress and returns a result or throws.
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
/// Its states are ``SimpleState``, which the bundled templates render.
public protocol SimpleOperation<Input, Result>: OutputOperation where State == SimpleState<Result> {
    /// The input of a run; `NoInput` without parameters.
    associatedtype Input
    /// The result of the work; `NoResult` without one.
    associatedtype Result: OperationResult

    /// Performs the work of one run.
    ///
    /// Called once per run. A cancelled run ends immediately; later reports, results and errors have no effect. The work ends
    /// at its next cancellation check, such as most `try await` calls of the standard library.
    ///
    /// - Parameters:
    ///   - input: The run's input.
    ///   - report: Receives the progress, notes and output.
    /// - Returns: The result.
    /// - Throws: Any error. The run then fails with the error's `explanation` as message. Throw an ``OperationFailure`` to
    ///   choose the message.
    func run(_ input: Input, report: RunReporter) async throws -> Result
}

extension SimpleOperation {
    /// Performs the work and sets its states.
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

/// An error with a message for the run's page: the reason and the remedy.
///
/// ```swift
/// throw OperationFailure("The folder is empty. Choose another one.")
/// ```
public struct OperationFailure: ExplainedError, Sendable, Hashable {
    /// The message.
    public let description: String

    /// Creates an error; the message is shown to every user: leave out paths and secrets.
    public init(_ description: String) { self.description = description }
}

/// The result of a `SimpleOperation`.
///
/// Texts, numbers and lists of them are results. A custom type needs a sample, which the gallery and the template check use;
/// its properties are available to its template:
///
/// ```swift
/// struct Summary: OperationResult {
///     var files: Int, bytes: Int
///     static let sample = Summary(files: 12, bytes: 34_567)
/// }
/// ```
public protocol OperationResult: Codable, Equatable, Sendable {
    /// An example of a result.
    static var sample: Self { get }
}

/// The result of work that returns nothing.
public struct NoResult: OperationResult {
    /// The only value.
    public static let sample = NoResult()
    /// Creates the result.
    public init() {}
}

extension String: OperationResult {
    /// A sentence.
    public static var sample: String { "An example of a result." }
}

extension Int: OperationResult {
    /// A number.
    public static var sample: Int { 42 }
}

extension Double: OperationResult {
    /// A number.
    public static var sample: Double { 4.2 }
}

extension Array: OperationResult where Element: OperationResult {
    /// A list of two.
    public static var sample: [Element] { [.sample, .sample] }
}

/// Reports the progress, notes and output of a `SimpleOperation`.
///
/// Can be called from any thread and concurrently. Reports have no effect once the run has ended or been cancelled.
public struct RunReporter: Sendable {
    /// Prints lines; callbacks, which cannot suspend, use `output.offer`.
    public let output: OutputWriter
    private let change: @Sendable (_ note: String??, _ progress: WorkProgress?) -> Void

    init(output: OutputWriter, change: @escaping @Sendable (_ note: String??, _ progress: WorkProgress?) -> Void) {
        self.output = output
        self.change = change
    }

    /// Reports the progress of the work.
    ///
    /// - Parameters:
    ///   - completed: The number of completed units.
    ///   - total: The total number of units; nil if unknown.
    ///   - unit: The unit.
    ///   - note: The current activity; nil to keep the current note.
    public func progress<Count: BinaryInteger>(
        _ completed: Count, of total: Count? = nil, unit: WorkProgress.Unit = .items, note: String? = nil
    ) {
        let progress = WorkProgress(completed, of: total, unit: unit)
        change(note.map { .some($0) }, progress)
    }

    /// Sets or removes the description of the current activity; the progress stays the same.
    public func note(_ text: String?) { change(.some(text), nil) }

    /// Prints a text of one or several lines; suspends while the buffer is full.
    public func print(_ text: String, to channel: OutputChannel = .standardOutput) async {
        await output.write(text, to: channel)
    }
}
