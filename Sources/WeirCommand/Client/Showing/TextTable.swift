/// Rows of texts in columns that line up; the last column is as long as it is.
///
/// Pure.
package struct TextTable: Sendable {
    private var rows: [[String]]

    package init(_ titles: [String]) { rows = [titles] }

    /// Adds a row; what a terminal would obey is made visible.
    package mutating func add(_ cells: [String]) { rows.append(cells.map(VisibleText.line)) }

    /// All rows, each with its line end.
    package var text: String {
        let widths = rows.reduce(into: [Int]()) { widths, row in
            for (index, cell) in row.enumerated() {
                let width = VisibleText.width(cell)
                if index < widths.count { widths[index] = max(widths[index], width) } else { widths.append(width) }
            }
        }
        return rows.map { row in
            let cells = zip(row, widths).enumerated().map { index, cell in
                index == row.count - 1 ? cell.0 : VisibleText.padded(cell.0, to: cell.1)
            }
            return cells.joined(separator: "  ") + "\n"
        }.joined()
    }
}
