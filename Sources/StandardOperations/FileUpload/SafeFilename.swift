/// A file name from outside, made safe to be a file name here: no folder, nothing hidden, nothing that steers, not too long.
///
/// Takes what comes after the last `/` or `\`; drops control characters, those that turn the writing direction, and
/// leading dots; writes `_` for what some system does not take; and keeps the name below 200 bytes of UTF-8, its
/// extension whole.
struct SafeFilename: Sendable, Equatable {
    private let stem: String
    private let suffix: String

    init(_ text: String) {
        let last = text.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last.map(String.init) ?? ""
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
        stem = Self.cut(String(dot.map { name[..<$0] } ?? name), to: 200 - suffix.utf8.count)
    }

    /// The name.
    var text: String { stem + suffix }

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
