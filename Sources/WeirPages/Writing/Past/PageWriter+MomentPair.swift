import WeirBoards
import WeirJournals
import WeirStates

extension PageWriter {
    private struct Side {
        let sequence: SequenceNumber
        let at: Timestamp
        let chip: Fields
        let payload: JSONValue
    }

    func momentsPage(_ pair: MomentPair) -> Fields {
        let (first, second, subject, url, kind): (Side, Side, Fields, String, String)
        let choices: [Scrubber.Moment]
        var start: Timestamp?
        switch pair {
        case .run(let one, let other, let newest):
            (first, second) = (side(one), side(other))
            kind = newest.record.operation
            subject = operation(kind)
            url = "\(base)/runs/\(newest.record.id)"
            start = newest.record.startedAt
            choices = newest.transitions.map { state in
                .init(
                    sequence: state.sequence, at: state.at, label: label(of: state.caseName, state.phase, in: kind),
                    tone: state.phase.tone)
            }
        case .store(let one, let other, let newest):
            (first, second) = (side(one), side(other))
            kind = newest.entry.kind
            subject = store(newest.id)
            url = "\(base)/stores/\(newest.id)"
            choices = newest.log.reversed().map { line in
                .init(sequence: line.sequence, at: line.at, label: words(for: line.step, of: newest), tone: "")
            }
        }
        return [
            "subject": subject, "url": url, "action": "\(url)/moments",
            "sides": [fields(of: first, "A", url), fields(of: second, "B", url)],
            "apart": format.duration(abs(second.at - first.at)),
            "difference": difference(first.payload, second.payload, of: kind).merging(["before": "A", "after": "B"]),
            "firsts": options(choices, first, from: start),
            "seconds": options(choices, second, from: start),
            "swapURL": "\(url)/moments?a=\(second.sequence)&b=\(first.sequence)",
        ]
    }

    func difference(_ first: JSONValue, _ second: JSONValue, of kind: String) -> Fields {
        let values = PayloadValues(format: format, strings: strings, operation: kind)
        let difference = ValueDifference(first, second)
        let text = { (value: JSONValue?) in value.map { String(values.text($0).prefix(300)) } }
        return [
            "hasRows": !difference.rows.isEmpty,
            "rows": difference.rows.map { row -> Fields in
                let path = row.path.map { step in
                    switch step {
                    case .member(let name): values.label(name)
                    case .element(let name): String(name.prefix(80))
                    }
                }
                return [
                    "label": path.isEmpty ? strings[.momentsValue] : path.joined(separator: " \u{203A} "),
                    "first": text(row.first), "second": text(row.second),
                ]
            },
            "omitted": difference.omitted > 0 ? format.integer(Int64(difference.omitted)) : nil,
        ]
    }

    private func side(_ run: RunView) -> Side {
        Side(
            sequence: run.record.sequence, at: run.at, chip: chip(run.record), payload: run.record.state.payload)
    }

    private func side(_ view: StoreView) -> Side {
        Side(
            sequence: view.sequence, at: view.log.first?.at ?? Timestamp(milliseconds: 0),
            chip: storeChip(view.state, of: view.entry), payload: view.state.payload)
    }

    private func fields(of side: Side, _ letter: String, _ url: String) -> Fields {
        ["letter": letter, "chip": side.chip, "at": moment(side.at), "url": "\(url)?at=\(side.sequence)"]
    }

    /// The selectable moments, oldest first, including the chosen one, labelled with the time since the start.
    private func options(_ moments: [Scrubber.Moment], _ chosen: Side, from start: Timestamp?) -> [Fields] {
        var moments = moments
        if !moments.contains(where: { $0.sequence == chosen.sequence }) {
            let place = moments.firstIndex { $0.sequence > chosen.sequence } ?? moments.endIndex
            let label = chosen.chip["word"] as? String ?? ""
            moments.insert(.init(sequence: chosen.sequence, at: chosen.at, label: label, tone: ""), at: place)
        }
        return moments.map { moment in
            let when = start.map { format.duration(moment.at - $0) } ?? CivilTime(moment.at).clock
            return [
                "value": String(moment.sequence), "isChosen": moment.sequence == chosen.sequence,
                "words": "\(when) \u{B7} \(String(moment.label.prefix(80)))",
            ]
        }
    }
}

/// The differences between two values, member by member.
struct ValueDifference {
    struct Row: Equatable {
        enum Step: Equatable {
            case member(String)
            /// An element of a list, by its name or index.
            case element(String)
        }

        let path: [Step]
        let first: JSONValue?
        let second: JSONValue?
    }

    /// The parts that differ, up to the limit.
    private(set) var rows: [Row] = []
    private(set) var omitted = 0

    private let limit: Int
    /// The maximum depth of the comparison; deeper parts differ as a whole.
    private static let depth = 8

    init(_ first: JSONValue, _ second: JSONValue, limit: Int = 100) {
        self.limit = limit
        compare(first, second, at: [])
    }

    private mutating func compare(_ first: JSONValue?, _ second: JSONValue?, at path: [Row.Step]) {
        guard first != second else { return }
        switch (first, second) {
        case (.object(let one)?, .object(let other)?) where path.count < Self.depth:
            compare(one, other, at: path)
        // Added and removed objects are also compared member by member.
        case (.object(let one)?, nil) where path.count < Self.depth && !one.isEmpty:
            compare(one, [:], at: path)
        case (nil, .object(let other)?) where path.count < Self.depth && !other.isEmpty:
            compare([:], other, at: path)
        case (.array(let one)?, .array(let other)?) where path.count < Self.depth:
            compare(one, other, at: path)
        default:
            guard rows.count < limit else { return omitted += 1 }
            rows.append(Row(path: path, first: first, second: second))
        }
    }

    private mutating func compare(_ one: [String: JSONValue], _ other: [String: JSONValue], at path: [Row.Step]) {
        for name in Set(one.keys).union(other.keys).sorted() {
            compare(one[name], other[name], at: path + [.member(name)])
        }
    }

    /// Matches elements by id if all have one, else by index.
    private mutating func compare(_ one: [JSONValue], _ other: [JSONValue], at path: [Row.Step]) {
        guard let firsts = Self.byID(one), let seconds = Self.byID(other) else {
            for place in 0..<max(one.count, other.count) {
                let (first, second) = (one.dropFirst(place).first, other.dropFirst(place).first)
                compare(first, second, at: path + [.element(Self.name(of: second ?? first) ?? String(place + 1))])
            }
            return
        }
        let added = other.compactMap(Self.id).filter { firsts[$0] == nil }
        for id in one.compactMap(Self.id) + added {
            let (first, second) = (firsts[id], seconds[id])
            compare(first, second, at: path + [.element(Self.name(of: second ?? first) ?? id)])
        }
    }

    /// The elements by id, or nil unless each has a unique one.
    private static func byID(_ elements: [JSONValue]) -> [String: JSONValue]? {
        var found: [String: JSONValue] = [:]
        for element in elements {
            guard let id = id(element), found.updateValue(element, forKey: id) == nil else { return nil }
        }
        return found
    }

    private static func id(_ element: JSONValue) -> String? {
        element["id"].flatMap { $0.string ?? $0.integer.map { String($0) } }
    }

    private static func name(of element: JSONValue?) -> String? {
        ["title", "name", "label", "text"].lazy.compactMap { element?[$0]?.string }.first { !$0.isEmpty }
    }
}
