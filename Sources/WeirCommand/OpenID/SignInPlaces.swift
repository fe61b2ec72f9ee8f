/// The places of sign-ins that wait for the provider: a limited number in all, and for each address.
///
/// Pure. A browser that comes back with an invented code takes a place until the provider has refused the code.
struct SignInPlaces: Sendable {
    static let limit = 64
    static let limitPerAddress = 16

    private var counts: [String: Int] = [:]
    private var count = 0

    /// Takes a place; returns false if all places, or all of this address, are taken.
    mutating func take(for address: String) -> Bool {
        guard count < Self.limit, counts[address, default: 0] < Self.limitPerAddress else { return false }
        count += 1
        counts[address, default: 0] += 1
        return true
    }

    /// Gives back a place that was taken for this address.
    mutating func giveBack(of address: String) {
        count -= 1
        counts[address] = counts[address].flatMap { $0 > 1 ? $0 - 1 : nil }
    }
}
