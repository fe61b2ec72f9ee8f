import Crypto
import Foundation
import HTTPTypes
import WeirAccess
import WeirJournals
import WeirOperations
import WeirStates

extension Exchange {
    /// A change's sequence, as a query or a form names it.
    func moment(_ text: String) throws(Problem) -> SequenceNumber {
        guard let sequence = SequenceNumber(text), sequence > 0 else {
            throw .malformedQuery(
                "at", .queryAt)
        }
        return sequence
    }

    /// A text that no other principal has; nil where nobody is asked who they are, and names are all there is.
    var principalKey: String? {
        guard let admission, !admission.check.isOpen else { return nil }
        return admission.authorization.principal.key
    }

    /// The key under which a repeated request is known again: 1 to 255 visible characters, in quotes or not.
    ///
    /// It belongs to the principal: of another one with the same name it is another key.
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
        return ownKey(key)
    }

    /// A key under which two principals of one name do not meet.
    func ownKey(_ key: String) -> String {
        guard let principalKey else { return key }
        // Neither has a line break, so no two of these texts are made of different parts.
        return Hex(SHA256.hash(data: Data("\(principalKey)\n\(key)".utf8))).text
    }
}
