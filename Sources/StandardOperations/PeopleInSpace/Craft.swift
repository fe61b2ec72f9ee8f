/// A spacecraft and who is aboard.
public struct Craft: Codable, Hashable, Sendable {
    /// Its name.
    public let name: String
    /// How many are aboard.
    public let count: Int
    /// Their names, in the order of the service.
    public let people: [String]

    /// Makes a craft; the count is that of the people.
    public init(name: String, people: [String]) {
        self.name = name
        self.people = people
        count = people.count
    }
}
