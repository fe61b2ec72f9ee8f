import Foundation

/// A form of a secret that texts are searched for.
struct SecretNeedle: Sendable, Hashable {
    /// The result of a comparison.
    struct Match: Sendable {
        /// The place after the form, or nil if it does not begin here.
        var end: Int?
        /// Whether the form could begin here and end after the text.
        var isOpen = false

        mutating func add(_ other: Match) {
            end = [end, other.end].compactMap { $0 }.max()
            isOpen = isOpen || other.isOpen
        }
    }

    let bytes: [UInt8]
    /// Whether programs break the form into lines, as they do with base 64.
    let isFolded: Bool
    /// Whether the form is hexadecimal digits in lower case, which also match those in upper case.
    let isHex: Bool

    /// The number of bytes after which a line end at the end of the text leaves a folded form open.
    ///
    /// Fewer bytes occur at line ends by chance, and many lines would wait for the next one.
    static let openFold = 3
    /// The maximum number of readings that are followed side by side.
    private static let mostReadings = 16

    init(_ bytes: [UInt8], isFolded: Bool = false, isHex: Bool = false) {
        self.bytes = bytes
        self.isFolded = isFolded
        self.isHex = isHex
    }

    /// The bytes that match one of the form.
    func matching(_ byte: UInt8) -> [UInt8] {
        isHex && (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte) ? [byte, byte & ~0x20] : [byte]
    }

    private func matches(_ byte: UInt8, _ wanted: UInt8) -> Bool {
        byte == wanted || (isHex && wanted >= UInt8(ascii: "a") && byte == wanted & ~0x20)
    }

    /// The forms of a text that does not begin with white space.
    static func forms(of text: String) -> Set<SecretNeedle> {
        let bytes = Array(text.utf8)
        // Windows and its shells write UTF-16, and encode it.
        let little = text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
        let big = text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)] }
        var forms = Set([bytes, little, big].flatMap { encoded($0) + [SecretNeedle($0)] })
        guard bytes.contains(where: { $0 >= 0x80 }) else { return forms }
        // Python and others escape every character that is not ASCII in JSON.
        for isUpper in [false, true] {
            let escaped = text.unicodeScalars.map { scalar -> String in
                guard !scalar.isASCII else { return String(scalar) }
                return String(scalar).utf16.map { unit in
                    let digits = String(Int(unit) + 0x10000, radix: 16, uppercase: isUpper).dropFirst()
                    return "\\u" + digits
                }.joined()
            }
            forms.insert(SecretNeedle(Array(escaped.joined().utf8)))
        }
        return forms
    }

    /// Bytes in base 64 and in hexadecimal digits.
    private static func encoded(_ bytes: [UInt8]) -> [SecretNeedle] {
        var folded: Set<String> = []
        // The text can follow any number of bytes, as in `user:password`, which shifts it within the groups of base 64.
        for (shift, foreign) in [(0, 0), (1, 2), (2, 3)] {
            let data = Data([0, 0].prefix(shift)) + bytes
            let all = data.base64EncodedString().prefix { $0 != "=" }
            // Characters that contain bits of other bytes are left out at the beginning. At the end, they are known if
            // nothing follows.
            let own = all.dropFirst(foreign)
            for form in [own, data.count.isMultiple(of: 3) ? own : own.dropLast()].map(String.init) {
                folded.formUnion([form, form.replacing("+", with: "-").replacing("/", with: "_")])
            }
        }
        return folded.map { SecretNeedle(Array($0.utf8), isFolded: true) }
            + [SecretNeedle(Array(Hex(bytes).text.utf8), isFolded: true, isHex: true)]
    }

    /// The place after a separator of hexadecimal digits, as `od`, `xxd` and fingerprints of keys have between bytes.
    private func separatorEnd(in text: EscapedText, at place: Int, before index: Int) -> Int {
        guard isHex, index > 0, index.isMultiple(of: 2), let byte = text.byte(place) else { return place }
        return byte == UInt8(ascii: " ") || byte == UInt8(ascii: ":") || byte == UInt8(ascii: "-") ? place + 1 : place
    }

    /// Compares the form, with any of its characters escaped, with a text at a place.
    func match(in text: EscapedText, at place: Int) -> Match {
        var (plain, last) = (0, place)
        // Usually, nothing is escaped, and there is one way to go on.
        while let byte = text.byte(last), let wanted = bytes.dropFirst(plain).first, matches(byte, wanted),
            !EscapedText.isSpecial(byte)
        {
            (plain, last) = (plain + 1, last + 1)
        }
        var ends = [last]
        var isOpen = false
        for index in bytes.indices.dropFirst(plain) {
            let wanted = bytes[index]
            var next: [Int] = []
            for start in ends {
                var end = separatorEnd(in: text, at: start, before: index)
                if isFolded, index > 0, let line = text.lineEnd(at: end) {
                    if text.byte(line) == nil, index < Self.openFold { continue }
                    end = separatorEnd(in: text, at: line, before: index)
                }
                guard let byte = text.byte(end) else {
                    isOpen = true
                    continue
                }
                guard EscapedText.isSpecial(byte) else {
                    if matches(byte, wanted) { next.append(end + 1) }
                    continue
                }
                let isWhole = text.read(at: end) { byte, after in
                    if matches(byte, wanted), next.count < Self.mostReadings, !next.contains(after) {
                        next.append(after)
                    }
                }
                if !isWhole { isOpen = true }
            }
            if next.isEmpty { return Match(isOpen: isOpen) }
            ends = next
        }
        guard var end = ends.max() else { return Match() }
        if isFolded { for _ in 0..<2 where text.byte(end) == UInt8(ascii: "=") { end += 1 } }
        return Match(end: end, isOpen: isOpen)
    }
}
