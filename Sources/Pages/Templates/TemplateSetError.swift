/// A folder of templates that cannot be used.
public struct TemplateSetError: Error, Sendable, CustomStringConvertible {
    /// The folder's path, for the person who configured it.
    public let folder: String

    /// What is wrong and what to do.
    public var description: String {
        "The folder of templates \(folder) cannot be read; name a folder laid out like Templates, or leave it out."
    }
}
