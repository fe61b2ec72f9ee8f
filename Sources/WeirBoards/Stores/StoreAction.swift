public import WeirJournals
public import WeirOperations
public import WeirStates

/// The actions of a store: an enum, with forms for the cases that can be sent from outside.
///
/// Its `Codable` form is Swift's own for enums: `.tick(step: 3)` is `{"tick":{"step":3}}`. Pages and the API write it
/// `{"type":"tick","step":3}`. Only the store's own work can send cases without a form.
public protocol StoreAction: Codable, Equatable, Sendable {
    /// The forms of the external actions, in the order in which pages show them.
    static var forms: [ActionForm] { get }
}

/// An action that carries its actor and time, because reducers must not read a clock.
///
/// The board fills both in before it dispatches an external action, and leaves actions of the store's own work
/// unchanged. Declare the fields as optional, since the form does not contain them.
public protocol AttributedAction: StoreAction {
    /// Returns the action with its actor and time filled in.
    func acted(by actor: String, at time: Timestamp) -> Self
}

extension RecordedAction {
    /// The record of a typed action; if encoding fails, a record that contains the error.
    static func describing(_ action: some StoreAction) -> RecordedAction {
        do {
            let encoded = try JSONValue(encoding: action)
            if let name = encoded.string { return RecordedAction(name: name) }
            guard let members = encoded.object, members.count == 1, let (name, payload) = members.first else {
                return RecordedAction(name: "value", payload: encoded)
            }
            return RecordedAction(name: name, payload: payload)
        } catch {
            let problem = JSONValue.string(
                "This action cannot be recorded: \(CodingErrorText.sentence(for: error))")
            return RecordedAction(name: "value", payload: ["problem": problem])
        }
    }

    /// The typed action.
    ///
    /// Throws `DecodingError` if the type has no such case or payload.
    func action<Action: StoreAction>(as type: Action.Type) throws -> Action {
        do {
            return try JSONValue.object([name: payload]).decode(type)
        } catch {
            // A string enum encodes as its case name alone.
            guard payload == [:] else { throw error }
            do { return try JSONValue.string(name).decode(type) } catch _ { throw error }
        }
    }
}

/// The form for sending one case of a store's action: its name, title and fields.
///
/// The HTML form, the API description and the validation all derive from the same fields.
public struct ActionForm: Sendable, Hashable {
    /// The appearance of the form's button.
    public enum Tone: String, Sendable, Hashable, CaseIterable {
        /// A secondary action.
        case plain
        /// The main action of a page.
        case primary
        /// An action that cannot easily be undone.
        case danger
    }

    package let name: String
    /// The title in English; the string `store.<id>.<name>` overrides it in a locale.
    package let title: String
    /// The associated values of the case, each named by its label in Swift; files are not allowed.
    package let fields: [InputField]
    package let tone: Tone

    /// Creates a form.
    public init(_ name: String, _ title: String, fields: [InputField] = [], tone: Tone = .plain) {
        self.name = name
        self.title = title
        self.fields = fields
        self.tone = tone
    }
}

/// A button on a page that sends an action, with some of its values fixed.
public struct ActionOffer: Sendable, Hashable {
    package let form: String
    /// The button's title in English, if it differs from the form's.
    package let title: String?
    /// The fixed values, as a JSON object of the form's fields.
    package let values: JSONValue
    /// The part of the state that the button belongs to, such as a step's id; nil for the whole state.
    package let anchor: String?
    /// The name of that part, for screen readers and the log; nil if it has none.
    package let about: String?
    /// Whether the button is enabled.
    ///
    /// A disabled action is not rejected when it is sent: two people may act at once, and the reducer decides.
    package let isEnabled: Bool

    /// Creates an offer.
    public init(
        _ form: String, title: String? = nil, values: JSONValue = [:], anchor: String? = nil, about: String? = nil,
        isEnabled: Bool = true
    ) {
        self.form = form
        self.title = title
        self.values = values
        self.anchor = anchor
        self.about = about
        self.isEnabled = isEnabled
    }
}

/// A store state that determines which actions pages offer; any other state offers every form once.
///
/// Offers are computed from the recorded state alone, so that a page of an earlier change shows the offers of that
/// change.
public protocol OfferingState: RecordableState {
    /// The offers, in the order in which pages show them.
    ///
    /// Computed each time a page is rendered.
    var offers: [ActionOffer] { get }
}

/// A one-time effect of a store and its presentation in browsers; `Never` for a store without effects.
public protocol StoreEffect: Sendable {
    /// The effect as it is recorded and as browsers perform it.
    var presentation: RecordedEffect { get }
}

extension Never: StoreEffect {
    /// Never called.
    public var presentation: RecordedEffect { switch self {} }
}

/// An effect with its position, by which a browser remembers that it has performed the effect.
package struct StoreEffectLine: Sendable, Hashable {
    /// The sequence of the change that caused it.
    package let sequence: SequenceNumber
    /// The index among the effects of that change, from 0.
    package let index: Int
    package let at: Timestamp
    package let effect: RecordedEffect
}
