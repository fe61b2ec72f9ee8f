import Foundation
import WeirStates

/// Encodings that make texts of any characters ASCII lines of limited length.
enum MailEncoding {
    /// The text as quoted-printable (RFC 2045): lines of at most 76 characters that end with CRLF.
    static func quotedPrintable(_ text: String) -> String {
        text.replacing("\r\n", with: "\n").split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            .map(quotedLine).joined(separator: "\r\n")
    }

    private static func quotedLine(_ line: Substring) -> String {
        var (lines, column) = ("", 0)
        let bytes = Array(line.utf8)
        for (index, byte) in bytes.enumerated() {
            let isLast = index == bytes.count - 1
            let isPlain = (0x21...0x7e).contains(byte) && byte != UInt8(ascii: "=")
            let isBlank = byte == 0x20 || byte == 0x09
            // Blanks at the end of a line can get lost.
            let piece =
                isPlain || (isBlank && !isLast) ? String(Unicode.Scalar(byte)) : "=" + Hex([byte]).text.uppercased()
            if column + piece.utf8.count > 75 {
                lines += "=\r\n"
                column = 0
            }
            lines += piece
            column += piece.utf8.count
        }
        return lines
    }

    /// The value of a header field without control characters, as encoded words (RFC 2047) unless it is plain ASCII.
    ///
    /// Encoded words of at most 75 characters are on lines of their own.
    static func headerText(_ text: String) -> String {
        let scalars = text.unicodeScalars.map { scalar in
            scalar.properties.generalCategory == .control || scalar.properties.generalCategory == .lineSeparator
                || scalar.properties.generalCategory == .paragraphSeparator ? " " : scalar
        }
        let visible = String(String.UnicodeScalarView(scalars))
        if visible.utf8.allSatisfy({ (0x20...0x7e).contains($0) }), visible.utf8.count <= 60, !visible.contains("=?") {
            return visible
        }
        var (words, word) = ([String](), "")
        for scalar in scalars {
            // 45 bytes are 60 digits, and with the marks of a word 72 characters.
            if word.utf8.count + String(scalar).utf8.count > 45 {
                words.append(word)
                word = ""
            }
            word.unicodeScalars.append(scalar)
        }
        words.append(word)
        return words.map { "=?UTF-8?B?\(Data($0.utf8).base64EncodedString())?=" }.joined(separator: "\r\n ")
    }
}
