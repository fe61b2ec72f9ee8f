/// Replaces the secrets in a stream of bytes, wherever the stream is cut into pieces.
///
/// Bytes are held back only while they can be the beginning of a secret, so at most about as many as the longest secret has.
package struct MaskedStream: Sendable {
    /// The minimum length of the beginning of a secret that is masked at the end of a text that was cut off.
    private static let cutBytes = 4

    private let mask: SecretMask
    private var pending: [UInt8] = []
    /// The number of pending bytes that belong to a secret which is already replaced.
    private var covered = 0
    /// The number of pending bytes that are already returned: the end of a line, with which a folded secret can begin.
    private var returned = 0

    package init(_ mask: SecretMask) { self.mask = mask }

    /// Whether bytes are held back.
    package var isHolding: Bool { pending.count > returned }

    /// Adds bytes, and returns those that are decided, with secrets replaced.
    package mutating func take(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        mask.isEmpty ? Array(bytes) : advance(EscapedText(pending + bytes), isLast: false)
    }

    /// Returns the bytes that were held back, at the end of the stream.
    ///
    /// With `isCut`, the text was cut off there, so that the beginning of a secret is masked too.
    package mutating func finish(isCut: Bool = false) -> [UInt8] {
        guard isCut, pending.count - returned >= Self.cutBytes else {
            return advance(EscapedText(pending), isLast: true)
        }
        let replacement = covered > 0 ? [] : Array(SecretMask.replacement.utf8)
        (pending, covered, returned) = ([], 0, 0)
        return replacement
    }

    private mutating func advance(_ text: EscapedText, isLast: Bool) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(text.bytes.count)
        var place = 0
        for byte in text.bytes {
            let match = mask.match(in: text, at: place)
            if match.isOpen, !isLast { break }
            // Secrets that overlap are replaced together.
            if let end = match.end, end > covered {
                if place >= covered { result += SecretMask.replacement.utf8 }
                covered = end
            }
            if place >= covered, place >= returned { result.append(byte) }
            place += 1
        }
        let kept = isLast ? place : min(place, max(covered, text.bytes.count - Self.lineEndBytes(of: text)))
        pending = Array(text.bytes.dropFirst(kept))
        (returned, covered) = (max(0, max(place, returned) - kept), max(0, covered - kept))
        return result
    }

    /// The length of the last line end with the bytes before it that can begin a folded secret, or 0 without a line end.
    private static func lineEndBytes(of text: EscapedText) -> Int {
        guard text.bytes.last == UInt8(ascii: "\n") else { return 0 }
        return SecretNeedle.openFold - 1 + " \r\n ".utf8.count
    }
}
