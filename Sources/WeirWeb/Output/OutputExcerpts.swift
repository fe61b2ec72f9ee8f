import WeirBoards
import WeirJournals
import WeirPages
import WeirStates

/// The part of a run's output that a page shows, as the page's query selects it: the newest lines, the lines around one, or
/// those that a search finds.
struct OutputExcerpts {
    /// The number of matches on a page.
    static let matchesOnPage = 200
    /// The number of newest lines that are seen without scrolling.
    private static let seen = 10
    /// The number of lines shown before the line of a failure.
    private static let before = 3

    let dashboard: AudienceDashboard

    /// Replaces the newest lines of the output by those that the query selects; nil if it selects none.
    func excerpt(of output: PageOutput, run: String, _ query: FormFields) async throws(Problem) -> PageOutput? {
        var output = output
        output.search = String((query["search"] ?? "").prefix(OutputSearch.maximumCharacters))
        output.isErrorsOnly = query["errors"] == "true"
        if let line = try query.place("line") {
            let part = try await part(of: run, .around(line), OutputPart.lineLimit)
            (output.excerpt, output.failure) = (.part(part, line: line), nil)
            return output
        }
        guard let search = try search(query, limit: Self.matchesOnPage) else { return nil }
        let matches = try await matches(search, in: run)
        do {
            let lines = try await dashboard.board.output(of: run, numbers: matches.numbers)
            output = PageOutput(
                tail: output.tail, cursor: nil, excerpt: .matches(matches, lines: lines), search: output.search,
                isErrorsOnly: output.isErrorsOnly)
        } catch {
            throw Problem(error)
        }
        return output
    }

    /// Replaces the newest lines of a failed run's output by those from the line that says why it failed, unless that is one of
    /// the newest lines or not known.
    func failure(in output: PageOutput, of record: RunRecord) async throws(Problem) -> PageOutput {
        guard output.tail.isClosed, let line = record.state.lastLine, line.advanced(by: Self.seen) < output.tail.head
        else { return output }
        let place = OutputPlace.after(line.advanced(by: -Self.before - 1))
        let part = try await part(of: record.id, place, OutputPart.lineLimit)
        guard part.lines.contains(where: { $0.number == line }) else { return output }
        var output = output
        output.excerpt = .part(part, line: line)
        output.failure = line
        return output
    }

    /// The search of a query, or nil if it has none.
    func search(_ query: FormFields, limit: Int) throws(Problem) -> OutputSearch? {
        let (text, errors) = (query["search"] ?? "", query["errors"])
        guard errors == nil || ["", "true", "false"].contains(errors) else {
            throw .malformedQuery("errors", .queryEither, ["values": "true, false"])
        }
        guard !text.isEmpty || errors == "true" else { return nil }
        let after = try query.place("after")
        let part: OutputSearch.Part =
            if let before = try query.place("before") { .before(before) } else { .after(after ?? .zero) }
        guard let search = OutputSearch(text, isErrorsOnly: errors == "true", part: part, limit: limit) else {
            throw .malformedQuery("search", .querySearch, ["most": "\(OutputSearch.maximumCharacters)"])
        }
        return search
    }

    func matches(_ search: OutputSearch, in run: String) async throws(Problem) -> OutputMatches {
        do { return try await dashboard.board.search(search, inOutputOf: run) } catch { throw Problem(error) }
    }

    func part(of run: String, _ place: OutputPlace, _ limit: Int) async throws(Problem) -> OutputPart {
        do { return try await dashboard.board.outputPart(of: run, place, limit: limit) } catch { throw Problem(error) }
    }
}
