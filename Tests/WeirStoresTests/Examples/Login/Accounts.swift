/// Where people have an account: the data layer, which stores share.
protocol Accounts: Sendable {
    /// The user of that name; throws what a person can be told.
    func logIn(_ name: String, _ password: String) async throws -> String
}
