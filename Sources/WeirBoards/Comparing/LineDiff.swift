/// The difference of two texts, line by line.
///
/// Lines that occur once in both texts divide them (the patience algorithm); the parts in between are compared with
/// Myers' algorithm. The effort is bounded: what exceeds it counts as replaced.
package struct LineDiff: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        case same
        /// The lines differ in times and numbers only.
        case near
        /// One line, or both, have no counterpart.
        case other
    }

    /// A line of each text by its index, or of one.
    package struct Row: Sendable, Hashable {
        package let first: Int?
        package let second: Int?
        package let kind: Kind
    }

    package let rows: [Row]

    package var count: Int { rows.count { $0.kind == .other } }
    package var hasNear: Bool { rows.contains { $0.kind == .near } }

    /// - Parameters:
    ///   - first: The lines of the first text.
    ///   - second: The lines of the second text.
    ///   - ignoresNumbers: Whether lines that differ in times and numbers only belong together.
    init(_ first: [String], _ second: [String], ignoresNumbers: Bool = false) {
        var ids: [String: Int] = [:]
        func numbered(_ lines: [String]) -> [Int] {
            lines.map { line in
                let key = ignoresNumbers ? LineShape(line).text : line
                let id = ids[key] ?? ids.count
                ids[key] = id
                return id
            }
        }
        var alignment = LineAlignment(numbered(first), numbered(second))
        alignment.align()
        rows = Self.rows(alignment.partners, second.count) { first[$0] == second[$1] }
    }

    private static func rows(_ partners: [Int?], _ count: Int, isSame: (Int, Int) -> Bool) -> [Row] {
        var rows: [Row] = []
        var (left, right) = (0, 0)
        func replace(_ lefts: Range<Int>, _ rights: Range<Int>) {
            for offset in 0..<max(lefts.count, rights.count) {
                rows.append(
                    Row(
                        first: offset < lefts.count ? lefts.lowerBound + offset : nil,
                        second: offset < rights.count ? rights.lowerBound + offset : nil, kind: .other))
            }
        }
        for (index, partner) in partners.enumerated() {
            guard let partner else { continue }
            replace(left..<max(index, left), right..<max(partner, right))
            rows.append(Row(first: index, second: partner, kind: isSame(index, partner) ? .same : .near))
            (left, right) = (index + 1, partner + 1)
        }
        replace(left..<max(partners.count, left), right..<max(count, right))
        return rows
    }
}

/// A line without escape sequences, and with `#` for each word that contains a digit or is the name of a day or month.
struct LineShape {
    private static let names: Set<String> = [
        "mon", "tue", "wed", "thu", "fri", "sat", "sun", "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep",
        "oct", "nov", "dec",
    ]

    private(set) var text = ""

    init(_ line: String) {
        var word = ""
        var hasDigit = false
        var escape = 0
        func flush(_ text: inout String) {
            text += hasDigit || Self.names.contains(word.lowercased()) ? "#" : word
            (word, hasDigit) = ("", false)
        }
        for scalar in line.unicodeScalars {
            // ESC, "[", parameters, and a letter that ends the sequence.
            if scalar == "\u{1B}" {
                escape = 1
            } else if escape == 1 {
                escape = scalar == "[" ? 2 : 0
            } else if escape == 2 {
                if scalar.properties.isAlphabetic { escape = 0 }
            } else if ("0"..."9").contains(scalar) || scalar.properties.isAlphabetic {
                hasDigit = hasDigit || ("0"..."9").contains(scalar)
                word.unicodeScalars.append(scalar)
            } else {
                flush(&text)
                text.unicodeScalars.append(scalar)
            }
        }
        flush(&text)
    }
}
