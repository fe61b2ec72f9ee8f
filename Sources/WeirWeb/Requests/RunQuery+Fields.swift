import WeirJournals
import WeirStates

extension RunQuery {
    /// The query that parameters ask for: `operation`, `phase`, `actor`, `text`, `startedAfter`, `startedBefore`,
    /// `sort` and `beyond` (as in the list of runs), `before` and `limit` (1 to 500, by default 50).
    ///
    /// Others are left alone.
    init(_ fields: FormFields) throws(Problem) {
        self.init(operation: fields["operation"], actor: fields["actor"], text: fields["text"])
        if let text = fields["phase"] {
            guard let phase = Phase(rawValue: text) else {
                let names = Phase.allCases.map(\.rawValue).joined(separator: ", ")
                throw .malformedQuery("phase", .queryOneOf, ["names": .text(names)])
            }
            self.phase = phase
        }
        startedAfter = try Self.moment("startedAfter", in: fields)
        startedBefore = try Self.moment("startedBefore", in: fields)
        if let text = fields["before"] {
            guard let before = SequenceNumber(text), before > 0 else {
                throw .malformedQuery("before", .queryNext)
            }
            self.before = before
        }
        try readOrder(fields)
        if let text = fields["limit"] {
            guard let limit = Int(text), (1...500).contains(limit) else {
                throw .malformedQuery("limit", .queryRange, ["least": "1", "most": "500"])
            }
            self.limit = limit
        }
    }

    private mutating func readOrder(_ fields: FormFields) throws(Problem) {
        if let text = fields["sort"] {
            let isGreatestFirst = text.hasPrefix("-")
            guard let order = RunOrder(rawValue: isGreatestFirst ? String(text.dropFirst()) : text) else {
                let names = RunOrder.allCases.map { "\($0.rawValue), -\($0.rawValue)" }.joined(separator: ", ")
                throw .malformedQuery("sort", .queryOneOf, ["names": .text(names)])
            }
            self.order = order
            isOldestFirst = !isGreatestFirst
        }
        guard let text = fields["beyond"] else { return }
        guard let place = RunOrder.Place(text) else {
            throw .malformedQuery("beyond", .queryBeyond)
        }
        beyond = place
        if order == .started, isOldestFirst { after = place.opened }
    }

    private static func moment(_ name: String, in fields: FormFields) throws(Problem) -> Timestamp? {
        guard let text = fields[name] else { return nil }
        guard let moment = Timestamp(text) else {
            throw .malformedQuery(name, .queryTime)
        }
        return moment
    }
}
