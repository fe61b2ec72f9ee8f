import Foundation
import Testing

/// How many requests of whom came to what, as Documentation/access.md has it.
struct AccessMatrix {
    private struct Place: Hashable {
        let name: String
        let seen: Bool
        let status: Int?
    }

    private static let roles = [
        "nobody": "nobody", "link": "a link to one run", "vera": "a viewer of a part", "otto": "an operator of a part",
        "ada": "an administrator",
    ]
    private static let file = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Documentation/access.md").standardizedFileURL

    private var counts: [Place: Int] = [:]

    mutating func count(_ name: String, seen: Bool, _ status: Int) {
        let refused = [401, 403, 404].contains(status) ? status : nil
        counts[Place(name: name, seen: seen, status: refused), default: 0] += 1
    }

    private func markdown(_ names: [String]) -> String {
        let columns: [(seen: Bool, status: Int?)] = [
            (true, nil), (true, 403), (true, 404), (true, 401), (false, nil), (false, 404), (false, 401),
        ]
        let rows = names.map { name in
            let cells = columns.map {
                counts[Place(name: name, seen: $0.seen, status: $0.status)].map(String.init) ?? ""
            }
            return "| \(Self.roles[name] ?? name) | \(cells.joined(separator: " | ")) |"
        }
        return """
            | who | may see it: answered | 403 | 404 | 401 | may not see it: answered | 404 | 401 |
            |---|---|---|---|---|---|---|---|
            \(rows.joined(separator: "\n"))
            """
    }

    /// Holds the table in the documentation against what came; `WEIR_RECORD_SNAPSHOTS=1` writes it anew.
    func compare(names: [String]) throws {
        let text = try String(contentsOf: Self.file, encoding: .utf8)
        let start = try #require(text.range(of: "| who | may see it"))
        let rest = text[start.lowerBound...]
        let end = rest.range(of: "\n\n")?.lowerBound ?? rest.endIndex
        let table = markdown(names)
        if ProcessInfo.processInfo.environment["WEIR_RECORD_SNAPSHOTS"] == "1" {
            let new = text[..<start.lowerBound] + table + text[end...]
            try new.write(to: Self.file, atomically: true, encoding: .utf8)
        } else {
            #expect(rest[..<end] == table)
        }
    }
}
