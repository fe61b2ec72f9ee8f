/// What the work of a `SimpleOperation` results in.
///
/// Text, numbers and lists of them are results. A type of your own needs a sample, from which the gallery and the check of
/// templates are made; its properties are what its template can name:
///
/// ```swift
/// struct Summary: OperationResult {
///     var files: Int, bytes: Int
///     static let sample = Summary(files: 12, bytes: 34_567)
/// }
/// ```
public protocol OperationResult: Codable, Equatable, Sendable {
    /// A result as it may be.
    static var sample: Self { get }
}

/// The result of work that results in nothing but having been done.
public struct NoResult: OperationResult {
    /// The only value.
    public static let sample = NoResult()
    /// Makes the result.
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
