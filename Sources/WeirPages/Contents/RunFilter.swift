import Foundation
package import WeirJournals
import WeirStates

/// The filters of the list of runs, as its form and its URLs hold them: texts, empty for none.
///
/// The parameters are `operation`, `phase`, `actor`, `text`, `from`, `to` (moments in UTC), `within` (`24h`, `7d` or `30d`),
/// `sort` (`started`, `duration` or `phase`, with the least first, or with a `-` the greatest), and where the previous page
/// ended: `before` (a sequence), or `beyond` in another order.
package struct RunFilter: Sendable, Hashable {
    /// The id of an operation.
    package var operation = ""
    /// A phase.
    package var phase = ""
    /// Who started it.
    package var actor = ""
    /// Words in input, error or output.
    package var text = ""
    /// The earliest start, as a form's `datetime-local` writes it or as ISO 8601, in UTC.
    package var from = ""
    /// The moment before which it started.
    package var to = ""
    /// How long ago it started at most, as one of `spans`.
    package var within = ""
    /// The order; empty for the newest first.
    package var sort = ""
    /// The sequence before which it was opened: where the page before ended.
    package var before: SequenceNumber?
    /// Where the page before ended in another order than the newest first.
    package var beyond: RunOrder.Place?

    /// The spans of time up to now that can be chosen, in milliseconds.
    static let spans: KeyValuePairs<String, Int64> = ["24h": 86_400_000, "7d": 604_800_000, "30d": 2_592_000_000]

    /// Creates a filter that lets the newest runs through, or those opened before a sequence.
    package init(before: SequenceNumber? = nil) { self.before = before }

    /// Reads the parameters of a URL; what it does not know is left out.
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

    /// The question to the journal; a moment that cannot be read is left out, and the page says so.
    ///
    /// - Parameters:
    ///   - limit: How many runs are on a page.
    ///   - now: The end of a span; without it, `within` is left out.
    /// - Returns: The question.
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

    /// The order that was chosen, and whether it begins with the least; nil for the newest first.
    var order: (RunOrder, isLeastFirst: Bool)? {
        let isGreatestFirst = sort.hasPrefix("-")
        return RunOrder(rawValue: isGreatestFirst ? String(sort.dropFirst()) : sort).map { ($0, !isGreatestFirst) }
    }

    /// The same filter from its first page on.
    package var firstPage: RunFilter {
        var filter = self
        (filter.before, filter.beyond) = (nil, nil)
        return filter
    }

    /// Whether it is the first page, which new runs come to.
    package var isFirstPage: Bool { before == nil && beyond == nil }

    /// The same filter for the runs that follow one.
    func following(_ record: RunRecord) -> RunFilter {
        var filter = firstPage
        if let order {
            filter.beyond = order.0.place(of: record)
        } else {
            filter.before = record.openedSequence
        }
        return filter
    }

    /// The name of a field that cannot be read, which `query` leaves out.
    package var mistakenField: String? {
        if hasBadFrom { return "from" }
        if hasBadTo { return "to" }
        if !within.isEmpty, !Self.spans.contains(where: { $0.key == within }) { return "within" }
        if !sort.isEmpty, order == nil { return "sort" }
        return !phase.isEmpty && Phase(rawValue: phase) == nil ? "phase" : nil
    }

    var hasBadFrom: Bool { !from.isEmpty && Self.moment(from) == nil }
    var hasBadTo: Bool { !to.isEmpty && Self.moment(to) == nil }

    /// The parameters as a URL's query, without the empty ones, always in the same order.
    package var query: String {
        parameters.map { "\($0.name)=\(URLText(value: $0.value).text)" }.joined(separator: "&")
    }

    /// The parameters without the empty ones.
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
