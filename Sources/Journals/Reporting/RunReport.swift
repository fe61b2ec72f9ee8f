/// That a run is reported by a program elsewhere, which does its work, and what that program calls it.
package struct RunReport: Sendable, Hashable, Codable {
    /// What a person calls the run, if its reporter says.
    package let title: String?

    /// Makes it of a title.
    package init(title: String? = nil) { self.title = title }
}
