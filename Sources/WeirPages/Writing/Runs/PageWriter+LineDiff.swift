import WeirBoards
import WeirJournals

extension PageWriter {
    /// The maximum number of differing parts on a page, of their lines, and of equal lines around a difference.
    private static var diffLimit: (parts: Int, rows: Int, context: Int) { (20, 400, 3) }

    /// The fields of `partials/compare-output`, or nil if neither run has output.
    func outputDifference(_ runs: RunComparison) -> Fields? {
        guard let output = runs.output, !output.first.isEmpty || !output.second.isEmpty else { return nil }
        let ids = [runs.first.record.id, runs.second.record.id]
        let cell = { (lines: [OutputLine], index: Int?, run: String) -> Fields? in
            index.map { index in
                let number = lines[index].number
                return [
                    "number": String(number.rawValue), "url": "\(base)/runs/\(run)?line=\(number)#line-\(number)",
                    "html": TrustedHTML(AnsiText(lines[index].text, limit: 500).html),
                ]
            }
        }
        return difference(output.diff, id: "output") { row in
            (cell(output.first, row.first, ids[0]), cell(output.second, row.second, ids[1]))
        }.merging([
            "summary": summary(of: output.diff),
            "part": output.isPart
                ? strings(.compareOutputPart, ["n": format.integer(Int64(OutputComparison.lineLimit))]) : nil,
        ])
    }

    /// The fields of `partials/compare-file`, or nil without a file.
    func fileDifference(_ runs: RunComparison) -> Fields? {
        guard let file = runs.file else { return nil }
        let unknown = file.first == nil || file.second == nil
        let diff = file.diff
        let fields: Fields = [
            "summary": diff.map(summary)
                ?? strings[
                    unknown ? .compareFileUnknown : file.isChanged ? .compareFileHidden : .compareFileSame],
            "since": file.isChanged ? file.second.map { moment($0.since) } : nil, "parts": [] as [Fields], "more": nil,
        ]
        guard let diff, let texts = file.lines else { return fields }
        let cell = { (lines: [String], index: Int?) -> Fields? in
            index.map { index in
                ["number": String(index + 1), "url": nil, "html": TrustedHTML(CleanText(lines[index]).markup)]
            }
        }
        return fields.merging(
            difference(diff, id: "file") { (cell(texts.first, $0.first), cell(texts.second, $0.second)) })
    }

    /// What differs, as links to the sections of the page.
    func differences(_ runs: RunComparison) -> [Fields] {
        var found: [(id: String, word: StringKey)] = []
        if runs.file?.isChanged == true { found.append(("compare-file", .compareFile)) }
        if !runs.differingInput.isEmpty { found.append(("compare-input", .compareInput)) }
        if runs.output.map({ $0.diff.count > 0 }) == true { found.append(("compare-output", .compareOutput)) }
        if runs.parting != nil { found.append(("compare-states", .compareStates)) }
        return found.map { ["url": "#\($0.id)", "word": strings[$0.word]] }
    }

    private func summary(of diff: LineDiff) -> String {
        let count = diff.count
        if count > 0 { return strings(.compareLines, ["n": format.integer(Int64(count))]) }
        return strings[diff.hasNear ? .compareLinesNear : .compareLinesSame]
    }

    /// The differing parts, each with equal lines around it; the first one is open.
    private func difference(
        _ diff: LineDiff, id: String, cells: (LineDiff.Row) -> (first: Fields?, second: Fields?)
    ) -> Fields {
        let parts = parts(of: diff)
        var rest = Self.diffLimit.rows
        let shown = parts.prefix(Self.diffLimit.parts).enumerated().compactMap { index, part -> Fields? in
            let rows = diff.rows[part].prefix(rest)
            rest -= rows.count
            guard let start = rows.first(where: { $0.kind == .other }) ?? rows.first else { return nil }
            let place = [start.first.map { "A \($0 + 1)" }, start.second.map { "B \($0 + 1)" }].compactMap { $0 }
            return [
                "partID": "compare-\(id)-\(index)", "isOpen": index == 0, "place": place.joined(separator: " \u{B7} "),
                "rows": rows.map { row -> Fields in
                    let cells = cells(row)
                    let kind = row.kind == .other ? "apart" : row.kind == .near ? "near" : ""
                    return ["kind": kind, "first": cells.first, "second": cells.second]
                },
            ]
        }
        let more = parts.count - shown.count
        return ["parts": shown, "more": more > 0 ? strings(.compareMore, ["n": format.integer(Int64(more))]) : nil]
    }

    private func parts(of diff: LineDiff) -> [Range<Int>] {
        var parts: [Range<Int>] = []
        let around = Self.diffLimit.context
        for (index, row) in diff.rows.enumerated() where row.kind == .other {
            let part = max(0, index - around)..<min(diff.rows.count, index + around + 1)
            if let last = parts.last, last.upperBound >= part.lowerBound {
                // Never traps: there is a last part.
                parts[parts.count - 1] = last.lowerBound..<part.upperBound
            } else {
                parts.append(part)
            }
        }
        return parts
    }
}
