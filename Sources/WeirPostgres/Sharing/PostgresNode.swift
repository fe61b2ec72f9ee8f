/// A server's name among all that use the database.
package struct PostgresNode: Sendable, Hashable {
    /// The same after each restart, and no other server's.
    package let id: String
    /// What a person calls it.
    package let name: String
    /// This process of it, by which it is assigned runs: after a restart another one.
    package let worker = Int64.random(in: 1...9_007_199_254_740_991)

    /// Creates a name.
    package init(id: String, name: String) {
        self.id = id
        self.name = name
    }
}
