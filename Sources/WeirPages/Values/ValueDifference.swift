import WeirStates

/// What differs between two values, member by member.
struct ValueDifference {
    /// A part that differs.
    struct Row: Equatable {
        /// A step from a value into one of its parts.
        enum Step: Equatable {
            /// A member of that name.
            case member(String)
            /// An element of a list, by its own name or its place.
            case element(String)
        }

        let path: [Step]
        /// The part in the first value; nil where it has none.
        let first: JSONValue?
        /// The part in the second value; nil where it has none.
        let second: JSONValue?
    }

    /// The parts that differ, at most as many as asked for.
    private(set) var rows: [Row] = []
    /// How many more there are.
    private(set) var omitted = 0

    private let limit: Int
    /// How deep parts are told apart; what lies deeper differs as a whole.
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
        // What was not there, or is gone, is told member by member, too.
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

    /// Elements that have ids are the same where those are; others, where they stand.
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

    /// The elements by their ids; nil unless each has one of its own.
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
