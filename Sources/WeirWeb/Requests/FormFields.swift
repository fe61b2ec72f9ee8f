import NIOCore
import WeirJournals
import WeirStates

/// The ordered fields of a query or a form (`application/x-www-form-urlencoded`).
struct FormFields: Sendable, Hashable {
    struct Field: Sendable, Hashable {
        var name: String
        var value: String
    }

    var fields: [Field] = []

    init(_ fields: [Field] = []) { self.fields = fields }

    /// Parses encoded text; returns nil if the encoding is invalid.
    ///
    /// A name without `=` has an empty value.
    init?(_ text: some StringProtocol) {
        for pair in text.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentEncoding.decode(parts[0], plusIsSpace: true),
                let value = PercentEncoding.decode(parts.count > 1 ? parts[1] : "", plusIsSpace: true)
            else { return nil }
            fields.append(Field(name: name, value: value))
        }
    }

    static let limit = 10_000

    init(body: ByteBuffer) throws(Problem) {
        guard body.readableBytesView.lazy.filter({ $0 == UInt8(ascii: "&") }).count < Self.limit else {
            throw .malformedBody(.tooManyFields, ["limit": "\(Self.limit)"])
        }
        guard let text = String(validating: body.readableBytesView, as: UTF8.self), let fields = FormFields(text)
        else { throw .malformedBody(.brokenForm) }
        self = fields
    }

    /// Returns the first value with that name.
    subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

    var dictionary: [String: String] {
        Dictionary(fields.map { ($0.name, $0.value) }) { first, _ in first }
    }

    var text: String {
        fields.map { PercentEncoding.encode($0.name) + "=" + PercentEncoding.encode($0.value) }.joined(separator: "&")
    }
}

extension FormFields {
    /// The query parameter as a position in a log, or nil if absent.
    func place(_ name: String) throws(Problem) -> SequenceNumber? {
        guard let text = self[name] else { return nil }
        guard let place = SequenceNumber(text) else {
            throw .malformedQuery(name, .queryRange, ["least": "0", "most": "\(SequenceNumber.max)"])
        }
        return place
    }

    /// The query parameter as an integer, or nil if absent.
    func number(_ name: String, _ range: ClosedRange<Int>) throws(Problem) -> Int? {
        guard let text = self[name] else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw .malformedQuery(name, .queryRange, ["least": "\(range.lowerBound)", "most": "\(range.upperBound)"])
        }
        return number
    }
}

extension RunQuery {
    /// Parses a query of runs: `operation`, `phase`, `actor`, `text`, `startedAfter`, `startedBefore`, `sort` and `beyond`
    /// (as in the list of runs), `before` and `limit` (1 to 500, by default 50).
    ///
    /// Ignores other parameters.
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
