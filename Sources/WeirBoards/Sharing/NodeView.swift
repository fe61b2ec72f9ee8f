package import WeirJournals

/// A server of a shared journal, as the system page shows it.
package struct NodeView: Sendable, Hashable {
    /// How it last described itself.
    package let node: JournalNode
    /// Whether it is this server.
    package let isThis: Bool
    /// Whether nothing has been heard of it for so long that another may take its place.
    package let isSilent: Bool

    /// Creates a view from its parts.
    package init(node: JournalNode, isThis: Bool, isSilent: Bool) {
        self.node = node
        self.isThis = isThis
        self.isSilent = isSilent
    }
}
