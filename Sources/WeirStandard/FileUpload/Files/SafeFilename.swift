/// A file name from outside, made safe for this file system: no folder, not hidden, no control characters, not too
/// long.
///
/// It uses what follows the last `/` or `\`; drops control characters, those that change the writing direction, and
/// leading dots; writes `_` for characters that some systems do not allow; and limits the name to 200 bytes of UTF-8,
/// keeping its extension.
package struct SafeFilename: Sendable, Equatable {
    private let stem: String
    private let suffix: String

    /// Makes a name safe.
    package init(_ text: String) {
        // By scalars: a slash with a mark that combines with it is another character, and still a slash to a file system.
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
        // Where the cut is the end of the name, no space may stand there.
        while suffix.isEmpty, stem.last == " " { stem.removeLast() }
        self.stem = stem
    }

    /// The name.
    package var text: String { stem + suffix }

    /// The name of the compressed file: for the first `report.pdf.gz`, then `report (2).pdf.gz`, and so on.
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
