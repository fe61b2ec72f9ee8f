/// A start was refused because a run is going and the operation allows one at a time.
public struct OperationBusy: Error, Sendable, Hashable, CustomStringConvertible {
    /// The id of the run that is going.
    public let run: String

    /// Makes an error.
    public init(run: String) { self.run = run }

    /// What happened and what to do, in a sentence.
    public var description: String {
        "A run is going already, and this operation does one at a time: wait until it has ended, or cancel it."
    }
}
