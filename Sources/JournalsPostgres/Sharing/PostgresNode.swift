/// A server's name among all that use the database.
package struct PostgresNode: Sendable, Hashable {
    /// The same after each restart, and no other server's.
    package let id: String
    /// What a person calls it.
    package let name: String

    /// Creates a name.
    package init(id: String, name: String) {
        self.id = id
        self.name = name
    }
}
