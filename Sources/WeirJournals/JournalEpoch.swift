/// The identifier of a history: 64 random bits in 13 characters of Crockford's base 32, in lower case.
///
/// It is created and stored with a journal, and never reused. Cursors carry it, so that a cursor into another history
/// is recognised.
package enum JournalEpoch {
    private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz")

    /// Creates an epoch from the system's random numbers.
    package static func make() -> String {
        var generator = SystemRandomNumberGenerator()
        return make(using: &generator)
    }

    /// Creates an epoch from the given random numbers.
    package static func make(using generator: inout some RandomNumberGenerator) -> String {
        var bits: UInt64 = generator.next()
        var characters: [Character] = []
        for _ in 0..<13 {
            characters.append(alphabet[Int(bits & 31)])
            bits >>= 5
        }
        return String(characters)
    }
}
