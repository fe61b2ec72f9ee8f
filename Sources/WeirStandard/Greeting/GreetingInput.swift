package import WeirOperations
import WeirStates

/// What a greeting is started with: whom to greet.
package struct GreetingInput: OperationInput, Hashable {
    /// Whom to greet.
    package let label: String

    /// The label, on one line.
    package static var fields: [InputField] {
        [
            InputField(
                "label", "Label", .text(maximumLength: 200), required: true, default: "World", help: "Whom to greet.")
        ]
    }

    /// Creates the input.
    package init(label: String) { self.label = label }
}
