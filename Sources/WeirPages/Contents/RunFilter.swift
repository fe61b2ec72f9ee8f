import Foundation
package import WeirJournals
import WeirStates

/// The filters of the list of runs, as its form and URLs contain them; an empty text is no filter.
///
/// The parameters are `operation`, `phase`, `actor`, `text`, `from`, `to` (moments in UTC), `within` (`24h`, `7d` or
/// `30d`), `sort` (`started`, `duration` or `phase`, ascending, or descending after a `-`), and the end of the previous
/// page: `before` (a sequence), or `beyond` in another order.
package struct RunFilter: Sendable, Hashable {
    package var operation = ""
    package var phase = ""
    package var actor = ""
    package var text = ""
    /// The earliest start in UTC, in the format of `datetime-local` or in ISO 8601.
    package var from = ""
    /// The moment before which the run started, in the same formats.
    package var to = ""
    /// The maximum time since the start, a key of `spans`.
    package var within = ""
    package var sort = ""
    /// The opening sequence of the last run on the previous page.
    package var before: SequenceNumber?
    /// The end of the previous page in an order other than newest first.
    package var beyond: RunOrder.Place?

    /// The values of `within`, in milliseconds.
    static let spans: KeyValuePairs<String, Int64> = ["24h": 86_400_000, "7d": 604_800_000, "30d": 2_592_000_000]

    /// Creates a filter that matches all runs, or those opened before a sequence.
    package init(before: SequenceNumber? = nil) { self.before = before }

    /// Reads the parameters of a URL, ignoring unknown ones.
    package init(parameters: [String: String]) {
        let value = { (name: String) in (parameters[name] ?? "").trimmingCharacters(in: .whitespacesAndNewlines) }
        operation = value("operation")
        phase = value("phase")
        actor = value("actor")
        text = value("text")
        from = value("from")
        to = value("to")
        within = value("within")
        sort = value("sort") == "-started" ? "" : value("sort")
        before = SequenceNumber(value("before"))
        beyond = RunOrder.Place(value("beyond"))
    }

    /// Whether nothing is filtered, so that the list can be live.
    package var isEmpty: Bool { self == RunFilter() }

    /// The journal query; fields that cannot be parsed are ignored, and the page reports them.
    ///
    /// - Parameters:
    ///   - limit: The number of runs per page.
    ///   - now: The end of the span; if nil, `within` is ignored.
    /// - Returns: The query.
    package func query(limit: Int = 50, now: Timestamp? = nil) -> RunQuery {
        let span = Self.spans.first { $0.key == within }?.value
        let starts = [Self.moment(from), span.flatMap { span in now?.before(span) }].compactMap { $0 }
        var query = RunQuery(
            operation: operation.isEmpty ? nil : operation, phase: Phase(rawValue: phase),
            actor: actor.isEmpty ? nil : actor, text: text.isEmpty ? nil : text, startedAfter: starts.max(),
            startedBefore: Self.moment(to), before: before, limit: limit)
        guard let (order, isLeastFirst) = order else { return query }
        query.order = order
        query.isOldestFirst = isLeastFirst
        query.beyond = beyond
        if order == .started { query.after = beyond?.opened }
        return query
    }

    /// The chosen order and whether it is ascending, or nil for newest first.
    var order: (RunOrder, isLeastFirst: Bool)? {
        let isGreatestFirst = sort.hasPrefix("-")
        return RunOrder(rawValue: isGreatestFirst ? String(sort.dropFirst()) : sort).map { ($0, !isGreatestFirst) }
    }

    package var firstPage: RunFilter {
        var filter = self
        (filter.before, filter.beyond) = (nil, nil)
        return filter
    }

    /// Whether this is the first page, where new runs appear.
    package var isFirstPage: Bool { before == nil && beyond == nil }

    func following(_ record: RunRecord) -> RunFilter {
        var filter = firstPage
        if let order {
            filter.beyond = order.0.place(of: record)
        } else {
            filter.before = record.openedSequence
        }
        return filter
    }

    /// The name of the first field that cannot be parsed and that `query(limit:now:)` ignores, or nil.
    package var mistakenField: String? {
        if hasBadFrom { return "from" }
        if hasBadTo { return "to" }
        if !within.isEmpty, !Self.spans.contains(where: { $0.key == within }) { return "within" }
        if !sort.isEmpty, order == nil { return "sort" }
        return !phase.isEmpty && Phase(rawValue: phase) == nil ? "phase" : nil
    }

    var hasBadFrom: Bool { !from.isEmpty && Self.moment(from) == nil }
    var hasBadTo: Bool { !to.isEmpty && Self.moment(to) == nil }

    /// The query string without `?` and without empty parameters, in a fixed order.
    package var query: String {
        parameters.map { "\($0.name)=\(URLText(value: $0.value).text)" }.joined(separator: "&")
    }

    /// The non-empty parameters, in a fixed order.
    var parameters: [(name: String, value: String)] {
        let values = [
            ("operation", operation), ("phase", phase), ("actor", actor), ("text", text), ("from", from), ("to", to),
            ("within", within), ("sort", sort), ("before", before.map { String($0) } ?? ""),
            ("beyond", beyond?.description ?? ""),
        ]
        return values.filter { !$0.1.isEmpty }.map { (name: $0.0, value: $0.1) }
    }

    static func moment(_ text: String) -> Timestamp? {
        let ends = text.hasSuffix("Z") || text.hasSuffix("z")
        let plain = ends ? String(text.dropLast()) : text
        let complete =
            switch plain.count {
            case 10: plain + "T00:00:00"
            case 16: plain + ":00"
            default: plain
            }
        return Timestamp(complete + "Z")
    }
}
