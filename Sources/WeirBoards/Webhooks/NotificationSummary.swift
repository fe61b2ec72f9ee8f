/// The content of a digest or a report: tables with links.
package struct NotificationSummary: Sendable, Hashable, Codable {
    package struct Row: Sendable, Hashable, Codable {
        let cells: [String]
        /// The URL of the first cell, or nil.
        let url: String?

        package init(_ cells: [String], url: String? = nil) {
            self.cells = cells.map { $0.split(whereSeparator: \.isNewline).joined(separator: " ").cut(to: 300, .utf16) }
            self.url = url
        }
    }

    package struct Section: Sendable, Hashable, Codable {
        let title: String
        /// The heads of the columns, or none.
        let columns: [String]
        let rows: [Row]
        /// The number of further rows.
        let more: Int

        /// Keeps at most fifty rows.
        package init(_ title: String, columns: [String] = [], rows: [Row], more: Int = 0) {
            (self.title, self.columns) = (title, columns)
            self.rows = Array(rows.prefix(Self.limit))
            self.more = max(0, more) + max(0, rows.count - Self.limit)
        }

        private static let limit = 50
    }

    let headline: String
    /// The time that it covers.
    let period: String
    let sections: [Section]
    let linkTitle: String
    let isBad: Bool

    /// Keeps the sections that have rows.
    package init(headline: String, period: String, sections: [Section], linkTitle: String, isBad: Bool) {
        (self.headline, self.period, self.linkTitle, self.isBad) = (headline, period, linkTitle, isBad)
        self.sections = sections.filter { !$0.rows.isEmpty }
    }

    var text: String {
        sections.map { section in
            let lines = section.rows.map { row in
                let cells = zip(section.columns + row.cells.dropFirst(section.columns.count).map { _ in "" }, row.cells)
                    .enumerated().compactMap { index, cell -> String? in
                        guard !cell.1.isEmpty else { return nil }
                        return index == 0 || cell.0.isEmpty ? cell.1 : "\(cell.0.lowercased()) \(cell.1)"
                    }
                return "- " + cells.joined(separator: " · ") + (row.url.map { "\n  \($0)" } ?? "")
            }
            return "\(section.title)\n\n" + (lines + section.words(ofMore: "- ")).joined(separator: "\n")
        }.joined(separator: "\n\n")
    }

    func html(_ escaped: (String) -> String) -> String {
        sections.map { section in
            let style = "style=\"padding:4px 12px 4px 0;text-align:left;vertical-align:top\""
            let head = section.columns.map { "<th \(style)>\(escaped($0))</th>" }.joined()
            let rows = section.rows.map { row in
                let cells = row.cells.enumerated().map { index, cell in
                    let link = index == 0 ? row.url.flatMap { $0.hasPrefix("http") ? $0 : nil } : nil
                    let text = link.map { "<a href=\"\(escaped($0))\">\(escaped(cell))</a>" } ?? escaped(cell)
                    return "<td \(style)>\(text)</td>"
                }
                return "<tr>\(cells.joined())</tr>"
            }
            return """
                <h3 style="margin:20px 0 4px">\(escaped(section.title))</h3>
                <table style="border-collapse:collapse;font-size:14px">\(head.isEmpty ? "" : "<tr>\(head)</tr>")
                \(rows.joined(separator: "\n"))</table>
                \(section.words(ofMore: "").map { "<p style=\"color:#555\">\($0)</p>\n" }.joined())
                """
        }.joined()
    }
}

extension NotificationSummary.Section {
    fileprivate func words(ofMore mark: String) -> [String] { more > 0 ? ["\(mark)and \(more) more"] : [] }
}
