import WeirFlows

/// The pattern of a field, compiled when the first value is held against it.
///
/// It does not count when fields are compared or encoded: all are equal.
final class FieldPattern: Sendable, Hashable {
    private let compiled = Locked<Result<TextPattern, TextPattern.Mistake>?>(nil)

    /// The compiled pattern; every call has the same text.
    func pattern(of text: String) throws(TextPattern.Mistake) -> TextPattern {
        try compiled.withLock { compiled in
            let result = compiled ?? Self.compile(text)
            compiled = result
            return result
        }.get()
    }

    private static func compile(_ text: String) -> Result<TextPattern, TextPattern.Mistake> {
        do throws(TextPattern.Mistake) {
            return .success(try TextPattern(text, for: .input))
        } catch {
            return .failure(error)
        }
    }

    static func == (one: FieldPattern, other: FieldPattern) -> Bool { true }

    func hash(into hasher: inout Hasher) {}
}
