/// Who asks, as the header of every page says it.
public struct PageAccount: Sendable, Hashable {
    /// The name; nil for somebody who is not signed in and could be.
    public var name: String?
    /// Whether signing out ends something.
    package var canSignOut = false

    /// Makes it of its part.
    public init(name: String?) { self.name = name }
}
