import Foundation
import TestSupport

@testable import WeirStates

/// Random secrets, written by the rules of a random encoding into a random text, which is cut at random places.
struct SecretCases {
    /// A secret in an encoding, with what of it needs not be masked.
    private struct Written {
        let bytes: [UInt8]
        /// The number of scalars beside the secret: the quotes around it, or what base 64 encodes together with others.
        let beside: Int

        init(text: String, beside: Int = 0) { self.init(bytes: Array(text.utf8), beside: beside) }

        init(bytes: [UInt8], beside: Int = 0) { (self.bytes, self.beside) = (bytes, beside) }
    }

    /// The number of a folded secret's first characters that are recorded if a line ends after them, with the line end.
    private static let lineEnd = 4

    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func secret() -> String {
        let outer = Array("abcXYZ0189").map(String.init)
        let inner = outer + Array(#"aZ5 "'\/+%&<>=$!@:;,.-~*()[]{}?#|^`"#).map(String.init) + ["ö", "€", "😀", "\n"]
        let middle = (0..<Int.random(in: 6...60, using: &random)).map { _ in pick(inner) }
        return pick(outer) + middle.joined() + pick(outer)
    }

    /// What is recorded of a secret, or nil if it is masked.
    mutating func leak(of secret: String, by mask: SecretMask) -> String? {
        let (before, behind) = (noise(), noise())
        let written = written(secret)
        let bytes = Array(before.utf8) + written.bytes + Array(behind.utf8)
        var stream = MaskedStream(mask)
        var recorded: [UInt8] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = rest.prefix(Int.random(in: 1...max(1, pick([1, 4, 16, 64, 256])), using: &random))
            recorded += stream.take(piece)
            rest = rest.dropFirst(piece.count)
        }
        recorded += stream.finish()
        let text = String(decoding: recorded, as: UTF8.self).unicodeScalars
        let shown = text.dropFirst(before.unicodeScalars.count).dropLast(behind.unicodeScalars.count)
        let isKept =
            text.starts(with: before.unicodeScalars) && text.reversed().starts(with: behind.unicodeScalars.reversed())
        if isKept, shown.contains("•"), shown.filter({ $0 != "•" }).count <= written.beside { return nil }
        return "\(before)|\(String(decoding: written.bytes, as: UTF8.self))|\(behind) → \(String(text))"
    }

    /// A text without characters of secrets and escapes.
    private mutating func noise() -> String {
        (0..<Int.random(in: 0...40, using: &random)).map { _ in pick(["_", "_", " ", "\n", "ä"]) }.joined()
    }

    private mutating func written(_ secret: String) -> Written {
        switch Int.random(in: 0..<8, using: &random) {
        case 0: Written(text: secret)
        case 1: base64(Bool.random(using: &random) ? Array(secret.utf8) : utf16(secret))
        case 2: Written(text: percent(secret))
        case 3: Written(text: json(secret))
        case 4:
            Written(text: "'" + secret.replacing("'", with: pick([#"'\''"#, #"'"'"'"#])) + "'", beside: 2)
        case 5:
            Written(
                text: separated(hex(Bool.random(using: &random) ? Array(secret.utf8) : utf16(secret))),
                beside: Self.lineEnd)
        case 6: Written(bytes: utf16(secret))
        default: Written(text: html(secret))
        }
    }

    private mutating func utf16(_ secret: String) -> [UInt8] {
        let isLittle = Bool.random(using: &random)
        return secret.utf16.flatMap { unit in
            withUnsafeBytes(of: isLittle ? unit.littleEndian : unit.bigEndian, Array.init)
        }
    }

    /// The text as it is, or in lines as programs break it, the first of which can begin with other characters.
    private mutating func folded(_ text: String) -> String {
        let (width, end) = (pick([60, 64, 76, 1_000]), pick(["\n", "\r\n"]))
        let first = pick([width, Int.random(in: 1...8, using: &random)])
        let rest = text.dropFirst(first)
        let lines = stride(from: 0, to: rest.utf8.count, by: width).map { rest.dropFirst($0).prefix(width) }
        return ([text.prefix(first)] + lines).joined(separator: end)
    }

    /// Hexadecimal digits with separators between bytes or pairs of bytes, or in lines.
    private mutating func separated(_ digits: String) -> String {
        let (size, separator) = (pick([2, 4]), pick(["", " ", ":", "-"]))
        guard !separator.isEmpty else { return folded(digits) }
        let groups = stride(from: 0, to: digits.utf8.count, by: size).map { digits.dropFirst($0).prefix(size) }
        let lines = stride(from: 0, to: groups.count, by: 16).map { groups.dropFirst($0).prefix(16) }
        return lines.map { $0.joined(separator: separator) }.joined(
            separator: pick([separator, separator + "\n", "\n "]))
    }

    private mutating func base64(_ secret: [UInt8]) -> Written {
        let (name, tail) = (pick(["", "u", "me:", "user:", "Basic:"]), pick(["", "\n", "==", "abc"]))
        var text = Data(name.utf8 + secret + tail.utf8).base64EncodedString()
        // A group has four characters, and one of others can begin or end in one of the secret's.
        let beside = (name.utf8.count + tail.utf8.count) * 4 / 3 + 6
        if Bool.random(using: &random) { text = text.replacing("+", with: "-").replacing("/", with: "_") }
        if Bool.random(using: &random) { text = String(text.prefix { $0 != "=" }) }
        return Written(text: folded(text), beside: beside + Self.lineEnd)
    }

    private mutating func hex(_ secret: [UInt8]) -> String {
        let text = Hex(secret).text
        return Bool.random(using: &random) ? text.uppercased() : text
    }

    private mutating func percent(_ secret: String) -> String {
        let kept = pick(["", "/", "!*'()", ";,/?:@&=+$!*'()#", "@*+/"])
        let text = PercentEncoding.encode(secret, keeping: kept)
        let isLower = Bool.random(using: &random)
        var result = ""
        var digits = 0
        for character in text {
            result += digits > 0 && isLower ? character.lowercased() : String(character)
            digits = character == "%" ? 2 : max(0, digits - 1)
        }
        return Bool.random(using: &random) ? result.replacing("%20", with: "+") : result
    }

    private mutating func json(_ secret: String) -> String {
        let (isASCII, isUpper) = (Bool.random(using: &random), Bool.random(using: &random))
        let slash = pick(["/", #"\/"#])
        return secret.unicodeScalars.map { scalar in
            switch scalar {
            case "\"": return #"\""#
            case "\\": return #"\\"#
            case "\n": return #"\n"#
            case "/": return slash
            case "<", ">", "&", "'": return isASCII ? Self.unicode(scalar, isUpper) : String(scalar)
            default: return scalar.isASCII || !isASCII ? String(scalar) : Self.unicode(scalar, isUpper)
            }
        }.joined()
    }

    private static func unicode(_ scalar: Unicode.Scalar, _ isUpper: Bool) -> String {
        String(scalar).utf16.map { unit in
            let digits = String(format: "%04x", Int(unit))
            return "\\u" + (isUpper ? digits.uppercased() : digits)
        }.joined()
    }

    private mutating func html(_ secret: String) -> String {
        secret.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;").replacing("'", with: pick(["&#39;", "&#x27;", "&apos;"]))
    }

    private mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &random)]
    }
}
