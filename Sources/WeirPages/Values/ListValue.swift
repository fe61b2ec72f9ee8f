import Mustache
import WeirStates

/// A payload's list in a template: repeated by a section, counted, or drawn.
struct ListValue: MustacheSequence, MustacheTransformable {
    let json: [JSONValue]
    let values: PayloadValues

    /// The maximum number of elements that are repeated or drawn.
    static let limit = 1_000

    func makeIterator() -> IndexingIterator<[Any]> { json.prefix(Self.limit).compactMap(values.value).makeIterator() }

    func transform(_ name: String) -> Any? {
        switch name {
        case "count": NumberValue(digits: String(json.count), value: Double(json.count), format: values.format)
        case "empty": json.isEmpty
        case "first": json.first.flatMap(values.value)
        case "last": json.last.flatMap(values.value)
        case "reversed": ListValue(json: json.reversed(), values: values)
        case "sparkline": Sparkline(numbers).line
        case "sparkarea": Sparkline(numbers).area
        case "sparkline100": Sparkline(numbers, maximum: 100).line
        case "sparkarea100": Sparkline(numbers, maximum: 100).area
        default: nil
        }
    }

    /// The newest numbers, up to the limit.
    private var numbers: [Double] { json.suffix(Self.limit).compactMap(\.number) }

    static let transforms: Set<String> = [
        "count", "empty", "first", "last", "reversed", "sparkline", "sparkarea", "sparkline100", "sparkarea100",
    ]
}

/// A series of numbers as SVG path data in a box of 100 × 24, with the newest at the right edge.
struct Sparkline {
    let line: String
    let area: String

    /// Draws numbers; the top of the box is `maximum`, or the largest number if it is nil.
    init(_ numbers: [Double], maximum: Double? = nil) {
        let top = max(maximum ?? numbers.max() ?? 0, 1e-9)
        let step = numbers.count > 1 ? 100 / Double(numbers.count - 1) : 100
        let points = numbers.enumerated().map { index, number in
            let height = min(max(number / top, 0), 1) * 22
            return "\(NumberValue.plain((Double(index) * step * 10).rounded() / 10)) "
                + NumberValue.plain(((23 - height) * 10).rounded() / 10)
        }
        let all = points.count == 1 ? points + points.map { "100 " + $0.drop { $0 != " " }.dropFirst() } : points
        line = all.isEmpty ? "M0 23H100" : "M" + all.joined(separator: "L")
        area = line + "V24H0z"
    }
}
