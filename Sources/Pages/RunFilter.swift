import Foundation
package import Journals
import States

/// The filters of the list of runs, as its form and its URLs hold them: texts, empty for none.
///
/// The parameters are `operation`, `phase`, `actor`, `text`, `from`, `to` (moments in UTC) and `before` (a sequence).
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
    /// The sequence before which it was opened: where the page before ended.
    package var before: SequenceNumber?

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
        before = SequenceNumber(value("before"))
    }

    /// Whether nothing is filtered, so that the list can be live.
    package var isEmpty: Bool { self == RunFilter() }

    /// The question to the journal; a moment that cannot be read is left out, and the page says so.
    package func query(limit: Int = 50) -> RunQuery {
        RunQuery(
            operation: operation.isEmpty ? nil : operation, phase: Phase(rawValue: phase),
            actor: actor.isEmpty ? nil : actor, text: text.isEmpty ? nil : text, startedAfter: Self.moment(from),
            startedBefore: Self.moment(to), before: before, limit: limit)
    }

    /// The same filter for the runs before a sequence.
    package func older(than sequence: SequenceNumber) -> RunFilter {
        var filter = self
        filter.before = sequence
        return filter
    }

    /// The name of a field that cannot be read, which `query` leaves out.
    package var mistakenField: String? {
        if hasBadFrom { return "from" }
        if hasBadTo { return "to" }
        return !phase.isEmpty && Phase(rawValue: phase) == nil ? "phase" : nil
    }

    var hasBadFrom: Bool { !from.isEmpty && Self.moment(from) == nil }
    var hasBadTo: Bool { !to.isEmpty && Self.moment(to) == nil }

    /// The parameters as a URL's query, without the empty ones, always in the same order.
    var query: String {
        let values = [
            ("operation", operation), ("phase", phase), ("actor", actor), ("text", text), ("from", from), ("to", to),
            ("before", before.map { String($0) } ?? ""),
        ]
        return values.filter { !$0.1.isEmpty }.map { "\($0.0)=\(URLText(value: $0.1).text)" }.joined(separator: "&")
    }

    private static func moment(_ text: String) -> Timestamp? {
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
