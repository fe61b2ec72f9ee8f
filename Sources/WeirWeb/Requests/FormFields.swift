import NIOCore
import WeirBoards
import WeirJournals
import WeirOperations
import WeirPages
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

    /// The values of input fields by name; those of several choices are separated by commas.
    ///
    /// Throws if another field is given more than once, because either value could be meant.
    func values(of inputs: [InputField]) throws(Problem) -> [String: String] {
        if let name = repeated(except: Set(inputs.filter(\.takesSeveral).map(\.controlName))) {
            throw .malformedBody(.queryOnce, ["field": .text(String(name.prefix(64)))])
        }
        var values = dictionary
        for input in inputs where input.takesSeveral && values[input.controlName] != nil {
            values[input.controlName] = fields.filter { $0.name == input.controlName }.map(\.value)
                .joined(separator: ",")
        }
        return InputField.values(ofForm: values, fields: inputs)
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

extension FormFields {
    /// Throws the problem of the first parameter that an address does not have, or that is given more than once.
    func check(_ names: [String]) throws(Problem) {
        if let name = dictionary.keys.filter({ !names.contains($0) }).min() {
            throw .unknownParameter(name, among: names)
        }
        if let name = repeated() { throw .malformedQuery(name, .queryOnce) }
    }

    /// The first name that is given more than once, other than those of lists.
    func repeated(except lists: Set<String> = []) -> String? {
        var seen: Set<String> = []
        return fields.first { !lists.contains($0.name) && !seen.insert($0.name).inserted }?.name
    }
}

extension AudienceDashboard {
    /// Reads the filters of a list of runs: the only parser of them, for pages, the API, exports and changes of many runs.
    ///
    /// `others` and `lists` are the parameters of the address that are not filters; `lists` can be given several times. The
    /// words of pages are read as the values they stand for.
    func filter(
        _ fields: FormFields, _ locale: PageLocale, beside others: Set<String> = [], lists: Set<String> = []
    ) -> RunFilter {
        RunFilter(parameters: fields.dictionary, beside: others.union(lists), repeated: fields.repeated(except: lists))
        {
            name, word in
            switch name {
            case "phase": renderer.phase(named: word)?.rawValue
            case "operation": board.catalog[word] == nil ? renderer.operation(named: word, locale) : nil
            default: nil
            }
        }
    }
}

extension Problem {
    /// Creates the problem of a filter that was not understood.
    init(_ mistake: RunFilter.Mistake) {
        let name = String(mistake.name.prefix(64))
        self =
            switch (mistake.kind, name) {
            case (.unknown, _): .unknownParameter(name, among: RunFilter.names)
            case (.repeated, _): .malformedQuery(name, .queryOnce)
            case (.cursor, _): .malformedQuery(name, .queryOrder)
            case (.value, "phase"): .malformedQuery(name, oneOf: Phase.allCases.map(\.rawValue))
            case (.value, "sort"):
                .malformedQuery(name, oneOf: RunOrder.allCases.flatMap { [$0.rawValue, "-" + $0.rawValue] })
            case (.value, "within"): .malformedQuery(name, oneOf: RunFilter.spans.map(\.key))
            case (.value, "limit"):
                .malformedQuery(
                    name, .queryRange,
                    ["least": "\(RunFilter.limits.lowerBound)", "most": "\(RunFilter.limits.upperBound)"])
            case (.value, "attempt"): .malformedQuery(name, .queryAttempt)
            case (.value, "text"): .malformedQuery(name, .queryText)
            case (.value, "before"): .malformedQuery(name, .queryNext)
            case (.value, "beyond"): .malformedQuery(name, .queryBeyond)
            case (.value, _): .malformedQuery(name, .queryTime)
            }
    }
}
