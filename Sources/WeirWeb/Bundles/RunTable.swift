import WeirAccess
import WeirBoards
import WeirFlows
import WeirJournals
import WeirStates

/// In which form the runs of a list are had as a file.
enum RunTableFormat: String {
    /// A table of comma-separated values (RFC 4180), for spreadsheets.
    case csv
    /// A JSON document like the answer of the API.
    case json
    /// An export with all changes, which an import takes in.
    case bundle = "jsonl"

    /// The media type.
    var mediaType: String {
        switch self {
        case .csv: "text/csv; charset=utf-8"
        case .json: "application/json"
        case .bundle: "application/jsonl"
        }
    }
}

/// The runs of a list as a table or a JSON document, a line at a time.
struct RunTable {
    /// How many runs are in memory at a time, fewer of large ones.
    private static let page = 200

    private let isCSV: Bool
    /// What operations are called.
    private let titles: [String: String]

    /// A writer of the format; nil for an export, which is more than the list.
    init?(_ format: RunTableFormat, titles: [String: String]) {
        guard format != .bundle else { return nil }
        isCSV = format == .csv
        self.titles = titles
    }

    /// Writes the runs that a query finds and that may be exported, in its order, each line without its end.
    ///
    /// Throws the errors of `write`, and `unavailable` when the journal cannot be read.
    func write(
        _ query: RunQuery, of board: VisibleBoard, _ write: (String) async throws -> Void
    ) async throws {
        var query = query
        query.limit = Self.page
        var isFirst = true
        try await write(isCSV ? Self.row(Self.columns) : "{\"runs\": [")
        while true {
            let page = try await board.answer(query, allowing: .export)
            let texts = try await WorkPool.bulk.run {
                try page.runs.map { try isCSV ? Self.row(cells($0)) : $0.json.text() }
            }
            for text in texts {
                try await write(isCSV || isFirst ? text : "," + text)
                isFirst = false
            }
            guard page.next != nil, let last = page.runs.last else { break }
            query = query.following(last)
        }
        if !isCSV { try await write("]}") }
    }

    private static let columns = [
        "id", "operation", "title", "phase", "case", "actor", "startedAt", "endedAt", "seconds", "input", "state",
        "cause",
        "retryOf",
    ]

    private func cells(_ run: RunRecord) throws -> [String] {
        [
            run.id, run.operation, run.opening.report?.title ?? titles[run.operation] ?? run.operation,
            run.state.phase.rawValue, run.state.caseName, run.opening.actor, run.startedAt.description,
            run.endedAt?.description ?? "", run.endedAt.map { String(Double($0 - run.startedAt) / 1_000) } ?? "",
            try run.opening.input.text(), try run.state.payload.text(), run.cause ?? "", run.opening.retryOf ?? "",
        ]
    }

    /// A row without its line feed, which whoever writes lines adds.
    static func row(_ cells: [String]) -> String { cells.map(cell).joined(separator: ",") + "\r" }

    /// What a spreadsheet takes for the beginning of a formula, also in its wide form.
    private static let formulas = "=+-@\t\r\n\u{FF1D}\u{FF0B}\u{FF0D}\u{FF20}".unicodeScalars

    /// A value as a cell that a spreadsheet takes for a text: what it would run as a formula begins with an apostrophe.
    static func cell(_ value: String) -> String {
        let isFormula = value.unicodeScalars.first.map(formulas.contains)
        let isNumber = Double(value) != nil
        let text = isFormula == true && !isNumber ? "'" + value : value
        guard text.unicodeScalars.contains(where: { "\",\r\n'".unicodeScalars.contains($0) }) else { return text }
        return "\"" + text.replacing("\"", with: "\"\"") + "\""
    }
}
