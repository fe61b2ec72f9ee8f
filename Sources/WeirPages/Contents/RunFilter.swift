import Foundation
package import WeirJournals
import WeirStates

/// The filters of the list of runs, as pages, the API, exports and changes of many runs read them; an empty text is no
/// filter.
///
/// The parameters are `operation`, `phase`, `actor` (`me` for the reader), `text`, `attempt` (a number, or `>` and a
/// number), `from` and `to` (moments in UTC unless they have an offset), `startedAfter` (another name of `from`),
/// `startedBefore`, `within` (`24h`, `7d` or `30d`), `limit`, `sort` (`started`,
/// `duration` or `phase`, ascending, or descending after a `-`), and the end of the previous page: `before` (a sequence,
/// only with the newest first), or `beyond` in any order.
package struct RunFilter: Sendable, Hashable {
    /// A parameter that was not understood.
    ///
    /// Nothing is listed, exported or changed by a filter that has one.
    package struct Mistake: Sendable, Hashable {
        package enum Kind: Sendable, Hashable {
            case unknown
            case repeated
            /// The value cannot be read.
            case value
            /// A cursor that the order does not have.
            case cursor
        }

        /// The name of the parameter, as it was given.
        package let name: String
        package let kind: Kind
    }

    package static let names = [
        "operation", "phase", "actor", "text", "from", "to", "startedAfter", "startedBefore", "within", "attempt",
        "sort", "before", "beyond", "limit",
    ]

    package var operation = ""
    package var phase = ""
    var actor = ""
    var text = ""
    /// The earliest start in UTC, in the format of `datetime-local` or in ISO 8601.
    package var from = ""
    /// The latest start, in the same formats: the whole day, minute or second that it names.
    package var to = ""
    /// The maximum time since the start, a key of `spans`.
    var within = ""
    /// The attempt of the runs, or `>` and the number that it exceeds.
    var attempt = ""
    var sort = ""
    /// The opening sequence of the last run on the previous page.
    var before: SequenceNumber?
    /// The end of the previous page in an order other than newest first.
    var beyond: RunOrder.Place?
    /// The number of runs of a page, from 1 to 500; nil for as many as a page shows.
    package var limit: Int?
    /// The first parameter that was not understood.
    package private(set) var mistake: Mistake?

    /// The value of `actor` that selects the reader's own runs.
    package static let me = "me"

    var isMine: Bool { actor == Self.me }

    /// The values of `within`, in milliseconds.
    package static let spans: KeyValuePairs<String, Int64> = [
        "24h": 86_400_000, "7d": 604_800_000, "30d": 2_592_000_000,
    ]

    /// Creates a filter that matches all runs, or those opened before a sequence.
    package init(before: SequenceNumber? = nil) { self.before = before }

    /// Reads the parameters of a URL; `mistake` names the first one that is not understood.
    ///
    /// - Parameters:
    ///   - parameters: The values by name.
    ///   - others: The parameters of the address that are not filters.
    ///   - repeated: A parameter that was given several times.
    ///   - meaning: Returns the value that another word for it means: a phase or an operation as pages name it.
    package init(
        parameters: [String: String], beside others: Set<String> = [], repeated: String? = nil,
        meaning: (_ name: String, _ word: String) -> String? = { _, _ in nil }
    ) {
        let value = { (name: String) in (parameters[name] ?? "").trimmingCharacters(in: .whitespacesAndNewlines) }
        operation = value("operation")
        phase = value("phase")
        actor = value("actor")
        text = value("text")
        from = value("from").isEmpty ? value("startedAfter") : value("from")
        to = value("to")
        within = value("within")
        attempt = value("attempt")
        sort = value("sort") == "-started" ? "" : value("sort")
        before = SequenceNumber(value("before"))
        beyond = RunOrder.Place(value("beyond"))
        limit = Int(value("limit"))
        if Phase(rawValue: phase) == nil { phase = meaning("phase", phase) ?? phase }
        if !operation.isEmpty { operation = meaning("operation", operation) ?? operation }
        let bound = value("startedBefore")
        if !bound.isEmpty, to.isEmpty { to = Self.span(bound)?.start.before(1).description ?? bound }
        let unknown = parameters.keys.filter { !Self.names.contains($0) && !others.contains($0) }.min()
        mistake =
            unknown.map { Mistake(name: $0, kind: .unknown) } ?? repeated.map { Mistake(name: $0, kind: .repeated) }
            ?? firstMistake(value)
    }

    private func firstMistake(_ value: (String) -> String) -> Mistake? {
        for (name, other) in [("from", "startedAfter"), ("to", "startedBefore")] where !value(other).isEmpty {
            if !value(name).isEmpty { return Mistake(name: other, kind: .repeated) }
            if Self.span(value(other)) == nil { return Mistake(name: other, kind: .value) }
        }
        if hasBadFrom { return Mistake(name: "from", kind: .value) }
        if hasBadTo { return Mistake(name: "to", kind: .value) }
        let isMistaken: KeyValuePairs = [
            "within": !within.isEmpty && !Self.spans.contains { $0.key == within },
            "attempt": !attempt.isEmpty && attempts == nil,
            "sort": !sort.isEmpty && order == nil,
            "phase": !phase.isEmpty && Phase(rawValue: phase) == nil,
            "text": !text.isEmpty && !SearchQuery.isWhole(text),
            "limit": !value("limit").isEmpty && !(limit.map(Self.limits.contains) ?? false),
            "before": !value("before").isEmpty && !(before.map { $0 > 0 } ?? false),
            "beyond": !value("beyond").isEmpty && !(beyond.map(isPlace) ?? false),
        ]
        if let name = isMistaken.first(where: \.value)?.key { return Mistake(name: name, kind: .value) }
        return before != nil && (beyond != nil || order != nil) ? Mistake(name: "before", kind: .cursor) : nil
    }

    /// Whether a place can be one of the order.
    private func isPlace(_ place: RunOrder.Place) -> Bool {
        switch order?.0 ?? .started {
        case .started: place.key == place.opened.rawValue
        case .duration: place.asOf != nil
        case .phase: place.asOf != nil && Phase.allCases.indices.contains(Int(clamping: place.key))
        }
    }

    package static let limits = 1...500

    /// Whether nothing is filtered, so that the list can be live.
    package var isEmpty: Bool { self == RunFilter() }

    /// The journal query; fields that cannot be parsed are left out of it, so `mistake` must be nil.
    ///
    /// - Parameters:
    ///   - limit: The number of runs per page, if the filter sets none.
    ///   - moment: The end of the span, and the moment for which runs are ordered; if nil, `within` is ignored.
    ///   - reader: The name that `me` stands for; if nil, `me` is a name.
    /// - Returns: The query.
    package func query(limit: Int = 50, asOf moment: RunOrder.Moment? = nil, reader: String? = nil) -> RunQuery {
        let span = Self.spans.first { $0.key == within }?.value
        let starts = [Self.span(from)?.start, span.flatMap { moment?.at.before($0) }].compactMap { $0 }
        var query = RunQuery(
            operation: operation.isEmpty ? nil : operation, phase: Phase(rawValue: phase),
            actor: actor.isEmpty ? nil : isMine ? reader ?? actor : actor, text: text.isEmpty ? nil : text,
            startedAfter: starts.max(),
            startedBefore: Self.span(to)?.end, before: before, limit: self.limit ?? limit)
        query.attempts = attempts
        guard let (order, isLeastFirst) = order else {
            if let beyond { query.before = beyond.opened }
            return query
        }
        query.order = order
        query.isOldestFirst = isLeastFirst
        query.beyond = beyond
        if order == .started {
            query.after = beyond?.opened
        } else if let beyond {
            query.asOf = beyond.asOf
        } else {
            query.asOf = moment
        }
        return query
    }

    /// The attempts that the filter selects; nil for all, and for a text that is neither a number nor `>` and one.
    private var attempts: ClosedRange<Int64>? {
        let isBeyond = attempt.hasPrefix(">")
        guard let number = Int64(isBeyond ? String(attempt.dropFirst()) : attempt), (1...9_999_999).contains(number)
        else { return nil }
        return isBeyond ? number + 1...Int64.max : number...number
    }

    /// The chosen order and whether it is ascending, or nil for newest first.
    var order: (RunOrder, isLeastFirst: Bool)? {
        let isGreatestFirst = sort.hasPrefix("-")
        return RunOrder(rawValue: isGreatestFirst ? String(sort.dropFirst()) : sort).map { ($0, !isGreatestFirst) }
    }

    /// Whether it lists failed runs, newest first, so that those with the same message are grouped.
    package var groupsFailures: Bool { phase == Phase.failed.rawValue && order == nil }

    /// Whether only the phase and the operation are filtered, whose runs the journal counts.
    package var isCounted: Bool {
        var others = firstPage
        (others.phase, others.operation, others.sort, others.limit) = ("", "", "", nil)
        return others.isEmpty && !phase.isEmpty
    }

    package var firstPage: RunFilter {
        var filter = self
        (filter.before, filter.beyond) = (nil, nil)
        return filter
    }

    /// Whether this is the first page, where new runs appear.
    package var isFirstPage: Bool { before == nil && beyond == nil }

    /// The filter of the next page.
    ///
    /// - Parameters:
    ///   - record: The last run of this page.
    ///   - query: The query of this page.
    /// - Returns: The filter.
    func following(_ record: RunRecord, of query: RunQuery) -> RunFilter {
        var filter = firstPage
        if order == nil { filter.before = record.openedSequence } else { filter.beyond = query.place(of: record) }
        return filter
    }

    var hasBadFrom: Bool { !from.isEmpty && Self.span(from) == nil }
    var hasBadTo: Bool { !to.isEmpty && Self.span(to) == nil }

    /// The query string without `?` and without empty parameters, in a fixed order.
    package var query: String {
        parameters.map { "\($0.name)=\(URLText(value: $0.value).text)" }.joined(separator: "&")
    }

    /// The non-empty parameters, in a fixed order.
    var parameters: [(name: String, value: String)] {
        let values = [
            ("operation", operation), ("phase", phase), ("actor", actor), ("text", text), ("from", from), ("to", to),
            ("within", within), ("attempt", attempt), ("sort", sort), ("before", before.map { String($0) } ?? ""),
            ("beyond", beyond?.description ?? ""), ("limit", limit.map { String($0) } ?? ""),
        ]
        return values.filter { !$0.1.isEmpty }.map { (name: $0.0, value: $0.1) }
    }

    /// The day, minute, second or millisecond that a text names: from its start to the start of the next one.
    ///
    /// The text is ISO 8601, in UTC unless it has an offset. A space is read as the `T` or, before an offset, as a `+`, which
    /// queries encode as a space.
    static func span(_ text: String) -> (start: Timestamp, end: Timestamp)? {
        var text = text
        if text.dropFirst(10).first == " " { text.replace(" ", with: "T", maxReplacements: 1) }
        text.replace(" ", with: "+")
        guard text.utf8.count <= 40, let parts = text.wholeMatch(of: /(.*?)([Zz]|[+-]\d\d:?\d\d)?/) else { return nil }
        var (plain, offset) = (String(parts.1), parts.2.map { $0.uppercased() } ?? "Z")
        // What looks like an offset after a date alone is a part of the date.
        if !plain.contains(where: { "Tt".contains($0) }), offset != "Z" { (plain, offset) = (text, "Z") }
        let (complete, length): (String, Int64) =
            switch plain.count {
            case 10: (plain + "T00:00:00", 86_400_000)
            case 16: (plain + ":00", 60_000)
            case 19: (plain, 1_000)
            default: (plain, 1)
            }
        guard let start = Timestamp(complete.uppercased() + offset) else { return nil }
        return (start, start.after(length))
    }
}
