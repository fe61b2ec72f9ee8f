/// The code that lets somebody make the first user: shown on the console, good once, five tries, fifteen minutes.
///
/// Pure.
package struct SetUpCode: Hashable, Sendable {
    /// For how long it is good, in milliseconds.
    package static let lifetime: Int64 = 15 * 60_000
    /// How often it may be tried.
    package static let tries = 5

    package let text: String
    private let madeAt: Int64
    private var tried = 0

    package init(bytes: [UInt8], now: Int64) {
        let letters = SecretText.shortID(bytes)
        text = letters.enumerated().map {
            ($0.offset > 0 && $0.offset.isMultiple(of: 4) ? "-" : "") + String($0.element)
        }
        .joined()
        madeAt = now
    }

    /// Whether it can still be used.
    package func isUsable(now: Int64) -> Bool { tried < Self.tries && (0...Self.lifetime).contains(now - madeAt) }

    /// Whether this is the code; counts the try.
    package mutating func accepts(_ typed: String, now: Int64) -> Bool {
        guard isUsable(now: now) else { return false }
        tried += 1
        let own = Array(text.replacing("-", with: "").utf8)
        let other = Array(typed.lowercased().utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: " ") })
        guard own.count == other.count else { return false }
        return zip(own, other).reduce(UInt8.zero) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
