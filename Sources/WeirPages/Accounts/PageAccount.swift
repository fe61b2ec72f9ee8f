/// Who asks, as the header of every page says it.
package struct PageAccount: Sendable, Hashable {
    /// The name; nil for somebody who is not signed in and could be.
    package var name: String?
    /// Whether signing out ends something.
    package var canSignOut = false

    /// Makes it of its part.
    package init(name: String?) { self.name = name }
}
