public import States

/// One place on a page where an action can be taken: a form, with some of its values fixed, there or greyed out.
public struct ActionOffer: Sendable, Hashable {
    /// The name of the form.
    public let form: String
    /// What this button is called, in English, where that differs from the form's title.
    public let title: String?
    /// The values that are not asked for, as a JSON object of the form's fields.
    public let values: JSONValue
    /// Which part of the state it belongs to, such as a step's id; nil where it concerns the whole.
    public let anchor: String?
    /// Whether it makes sense at the moment.
    ///
    /// What is disabled is not refused: two may act at once, and the reducer decides.
    public let isEnabled: Bool

    /// Makes an offer.
    public init(
        _ form: String, title: String? = nil, values: JSONValue = [:], anchor: String? = nil, isEnabled: Bool = true
    ) {
        self.form = form
        self.title = title
        self.values = values
        self.anchor = anchor
        self.isEnabled = isEnabled
    }
}
