public import WeirStates

/// One place on a page where an action can be taken: a form, with some of its values fixed, there or greyed out.
public struct ActionOffer: Sendable, Hashable {
    /// The name of the form.
    package let form: String
    /// What this button is called, in English, where that differs from the form's title.
    package let title: String?
    /// The values that are not asked for, as a JSON object of the form's fields.
    package let values: JSONValue
    /// Which part of the state it belongs to, such as a step's id; nil if it concerns the whole.
    package let anchor: String?
    /// What that part is called, for those who cannot see where the button stands, and for the log; nil if it has no name.
    package let about: String?
    /// Whether it makes sense at the moment.
    ///
    /// What is disabled is not refused: two may act at once, and the reducer decides.
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

/// A state of a store that says itself what can be done in it; in any other, every form is offered once.
///
/// Made from the recorded state alone, so that a page as of any change shows what was offered then.
public protocol OfferingState: RecordableState {
    /// What can be done, in the order in which pages show it. Called whenever a page is rendered.
    var offers: [ActionOffer] { get }
}
