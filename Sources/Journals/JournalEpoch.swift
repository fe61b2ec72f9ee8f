/// The name of one history: 64 random bits in 13 characters of Crockford's base 32, in lower case.
///
/// It is made with a journal, kept in it, and never used again; cursors carry it, so that a cursor into another
/// history is known for what it is.
public enum JournalEpoch {
    private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz")

    /// Makes an epoch from the system's randomness.
    public static func make() -> String {
        var generator = SystemRandomNumberGenerator()
        return make(using: &generator)
    }

    /// Makes an epoch from a given randomness.
    public static func make(using generator: inout some RandomNumberGenerator) -> String {
        var bits: UInt64 = generator.next()
        var characters: [Character] = []
        for _ in 0..<13 {
            characters.append(alphabet[Int(bits & 31)])
            bits >>= 5
        }
        return String(characters)
    }
}
