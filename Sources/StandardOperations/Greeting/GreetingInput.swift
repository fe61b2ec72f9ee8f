public import Operations
import States

/// What a greeting is started with: whom to greet.
public struct GreetingInput: OperationInput, Hashable {
    /// Whom to greet.
    public let label: String

    /// The label, on one line.
    public static var fields: [InputField] {
        [
            InputField(
                "label", "Label", .text(maximumLength: 200), required: true, default: "World", help: "Whom to greet.")
        ]
    }

    /// Makes the input.
    public init(label: String) { self.label = label }
}
