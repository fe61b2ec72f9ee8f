import Hummingbird
import WeirBoards
import WeirFlows
import WeirJournals
import WeirPages
import WeirStates

/// Answers the requests of a run's page for lines from anywhere in the output, and for the numbers of matching lines.
struct OutputWindows {
    /// The number of lines in an answer.
    static let limit = 200
    /// The maximum number of matches in an answer.
    static let matchLimit = 1_000

    let dashboard: AudienceDashboard

    func show(_ run: String, _ exchange: Exchange) async throws(Problem) -> Response {
        let query = exchange.target.query
        try query.check(["around", "after", "before", "search", "errors"])
        let excerpts = OutputExcerpts(dashboard: dashboard)
        if let search = try excerpts.search(query, limit: Self.matchLimit) {
            let matches = try await excerpts.matches(search, in: run)
            // Only the sentence about a search that took too long has the number of all lines.
            let head =
                matches.isComplete
                ? matches.searched : try await excerpts.part(of: run, .after(matches.searched), 1).head
            return try .json([
                "count": .integer(Int64(clamping: matches.count)),
                "preceding": .integer(Int64(clamping: matches.preceding)),
                "numbers": .array(matches.numbers.map { .integer($0.rawValue) }),
                "text": .string(
                    dashboard.renderer.sentence(matches, head: head, locale: exchange.locale)),
            ])
        }
        let place: OutputPlace
        if let number = try query.place("around") {
            place = .around(number)
        } else if let number = try query.place("before") {
            place = .before(number)
        } else {
            place = .after(try query.place("after") ?? .zero)
        }
        let part = try await excerpts.part(of: run, place, Self.limit)
        let html = try await WorkPool.documents.answer { [renderer = dashboard.renderer] in
            renderer.region(part, of: run, locale: exchange.locale)
        }
        var json: [String: JSONValue] = ["head": .integer(part.head.rawValue), "html": .string(html)]
        if case .around(let number) = place, number > part.head {
            json["text"] = .string(
                dashboard.renderer.sentence(noLine: number, head: part.head, locale: exchange.locale))
        }
        return try .json(.object(json))
    }
}
