/// What a run is started with: a Codable value and the fields a person fills in to make one.
///
/// The same fields drive the HTML form, the JSON schema and the validation, so that the three cannot disagree.
public protocol OperationInput: Codable, Sendable {
    /// The fields, in the order in which a form shows them. Each is named as its coding key.
    static var fields: [InputField] { get }
}

/// The input of an operation that needs none.
public struct NoInput: OperationInput, Hashable {
    /// No fields.
    public static var fields: [InputField] { [] }
    /// Creates the input.
    public init() {}
}
