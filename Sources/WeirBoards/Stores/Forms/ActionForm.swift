public import WeirOperations

/// How people and programs send one case of a store's action: its name, what pages call it, and its fields.
///
/// The same fields drive the HTML form, the API's description and the validation, so that the three cannot disagree.
public struct ActionForm: Sendable, Hashable {
    /// How a button that sends it looks.
    public enum Tone: String, Sendable, Hashable, CaseIterable {
        /// One among others.
        case plain
        /// What one comes for.
        case primary
        /// What cannot easily be undone.
        case danger
    }

    /// The name of the case.
    package let name: String
    /// What a person calls it, in English; the string `store.<id>.<name>` overrides it in a locale.
    package let title: String
    /// What the case carries, each field named as its label in Swift; a file has no place here.
    package let fields: [InputField]
    /// How its button looks.
    package let tone: Tone

    /// Creates a form.
    public init(_ name: String, _ title: String, fields: [InputField] = [], tone: Tone = .plain) {
        self.name = name
        self.title = title
        self.fields = fields
        self.tone = tone
    }
}
