import HTTPTypes
import Operations

extension Exchange {
    /// A change's sequence, as a query or a form names it.
    func moment(_ text: String) throws(Problem) -> Int64 {
        guard let sequence = Int64(text), sequence > 0 else {
            throw .malformedQuery(
                "at", "must be the number of a change, a whole number such as 1042. Without it the page is live.")
        }
        return sequence
    }

    /// The key under which a repeated request is known again: 1 to 255 visible characters, in quotes or not.
    func idempotencyKey() throws(Problem) -> String? {
        guard let sent = header(.idempotencyKey) else { return nil }
        let isQuoted = sent.count >= 2 && sent.first == "\"" && sent.last == "\""
        let key = isQuoted ? String(sent.dropFirst().dropLast()) : sent
        guard (1...255).contains(key.utf8.count), key.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            throw Problem(
                "malformed-header", .badRequest, "Malformed header",
                "Idempotency-Key must be 1 to 255 visible ASCII characters, such as a UUID.",
                errors: [.init(field: "Idempotency-Key", detail: "must be 1 to 255 visible ASCII characters")])
        }
        return key
    }
}
