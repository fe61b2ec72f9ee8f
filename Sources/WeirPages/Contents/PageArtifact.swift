package import Foundation
package import WeirBoards
package import WeirJournals

/// A page with the contents of a file that a run keeps.
package struct PageArtifact: Sendable {
    /// The maximum number of bytes of text that the page shows.
    package static let limit = 256 * 1_024
    fileprivate static let rowLimit = 200
    fileprivate static let columnLimit = 50

    package enum Body: Sendable {
        case text(String, isCut: Bool)
        /// The rows of a table; the first is its header.
        case table([[String]], isCut: Bool)
        case image
        /// A document for a viewer of the browser.
        case document
        /// Bytes that are no text.
        case binary
    }

    let run: RunRecord
    let artifact: Artifact
    let body: Body

    package init(run: RunRecord, artifact: Artifact, body: Body) {
        (self.run, self.artifact, self.body) = (run, artifact, body)
    }
}

extension PageArtifact.Body {
    /// Reads the beginning of a file as text, or with a separator as a table.
    package init(_ start: Data, isCut: Bool, separator: Character?) {
        // The limit can divide the last character, of at most four bytes.
        let ends = isCut ? [start, start.dropLast(1), start.dropLast(2), start.dropLast(3)] : [start]
        guard !start.contains(0), let text = ends.compactMap({ String(validating: $0, as: UTF8.self) }).first
        else {
            self = .binary
            return
        }
        let shown = text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text
        guard let separator else {
            self = .text(shown, isCut: isCut)
            return
        }
        let (rows, isWhole) = Self.rows(shown, separator)
        self = .table(rows, isCut: isCut || !isWhole)
    }

    /// Divides text into rows and cells (RFC 4180), as many as a page shows.
    ///
    /// A quote that is not closed extends to the end.
    private static func rows(_ text: String, _ separator: Character) -> (rows: [[String]], isWhole: Bool) {
        var rows: [[String]] = []
        var (row, cell, isQuoted, isAfterQuote): ([String], String, Bool, Bool) = ([], "", false, false)
        var isWhole = true
        func end() {
            if row.count < PageArtifact.columnLimit { row.append(cell) } else { isWhole = false }
            cell = ""
        }
        for character in text {
            if rows.count == PageArtifact.rowLimit { return (rows, false) }
            if isQuoted {
                if character == "\"" { (isQuoted, isAfterQuote) = (false, true) } else { cell.append(character) }
                continue
            }
            switch character {
            case "\"" where isAfterQuote:
                cell.append(character)
                isQuoted = true
            case "\"" where cell.isEmpty: isQuoted = true
            case separator: end()
            case "\n", "\r\n", "\r":
                end()
                if row != [""] { rows.append(row) }
                row = []
            default: cell.append(character)
            }
            isAfterQuote = false
        }
        if !row.isEmpty || !cell.isEmpty {
            end()
            rows.append(row)
        }
        return (rows, isWhole)
    }
}
