public import States

/// A state of a store that says itself what can be done in it; in any other, every form is offered once.
///
/// Made from the recorded state alone, so that a page as of any change shows what was offered then.
public protocol OfferingState: RecordableState {
    /// What can be done, in the order in which pages show it. Called whenever a page is rendered.
    var offers: [ActionOffer] { get }
}
