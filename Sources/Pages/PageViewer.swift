/// Who looks at a page, and what they do is recorded as.
public struct PageViewer: Sendable, Hashable {
    /// The name.
    public var name: String
    /// Whether they may choose another: not where a proxy says who they are.
    public var canRename: Bool

    /// Makes a viewer of the parts.
    public init(name: String, canRename: Bool) {
        self.name = name
        self.canRename = canRename
    }
}
