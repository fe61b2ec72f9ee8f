/// A spacecraft and who is aboard.
package struct Craft: Codable, Hashable, Sendable {
    /// Its name.
    package let name: String
    /// How many are aboard.
    package let count: Int
    /// Their names, in the order of the service.
    package let people: [String]

    /// Creates a craft; the count is that of the people.
    package init(name: String, people: [String]) {
        self.name = name
        self.people = people
        count = people.count
    }
}
