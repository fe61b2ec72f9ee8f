/// An untrusted file name made safe for this file system.
///
/// Keeps the part after the last `/` or `\`; drops control characters, bidirectional controls and leading dots; replaces
/// characters that some systems forbid by `_`; and limits the name to 200 bytes of UTF-8, keeping the extension.
package struct SafeFilename: Sendable, Equatable {
    private let stem: String
    private let suffix: String

    package init(_ text: String) {
        // By scalars: a slash followed by a combining mark is another character, but still a slash to the file system.
        let last = text.unicodeScalars.split { $0 == "/" || $0 == "\\" }.last.map { String($0) } ?? ""
        let plain = String(
            String.UnicodeScalarView(
                last.inert(limit: .max).unicodeScalars.compactMap { scalar in
                    switch scalar {
                    case "\n", "\t", "\u{2028}", "\u{2029}": nil
                    case ":", "*", "?", "\"", "<", ">", "|": "_"
                    default: scalar
                    }
                }))
        let trimmed = plain.drop { $0 == "." || $0 == " " }
        let end = trimmed.lastIndex { $0 != " " }.map { trimmed[...$0] } ?? ""
        let name = end.isEmpty ? "file" : end
        let dot = name.dropFirst().lastIndex(of: ".").flatMap { name[$0...].utf8.count <= 32 ? $0 : nil }
        suffix = dot.map { String(name[$0...]) } ?? ""
        var stem = Self.cut(String(dot.map { name[..<$0] } ?? name), to: 200 - suffix.utf8.count)
        // A name that ends at the cut must not end with a space.
        while suffix.isEmpty, stem.last == " " { stem.removeLast() }
        self.stem = stem
    }

    package var text: String { stem + suffix }

    /// The name of the compressed file: `report.pdf.gz`, then `report (2).pdf.gz`, and so on.
    func numbered(_ number: Int) -> String {
        stem + (number == 1 ? "" : " (\(number))") + suffix + ".gz"
    }

    private static func cut(_ text: String, to bytes: Int) -> String {
        var kept = ""
        var count = 0
        for character in text {
            count += character.utf8.count
            guard count <= bytes else { break }
            kept.append(character)
        }
        return kept.isEmpty ? "file" : kept
    }
}
