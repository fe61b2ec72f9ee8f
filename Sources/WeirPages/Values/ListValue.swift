import Mustache
import WeirStates

/// A list of a payload as a template sees it: repeated by a section, counted, or drawn.
struct ListValue: MustacheSequence, MustacheTransformable {
    let json: [JSONValue]
    let values: PayloadValues

    /// The maximum number of elements that a template repeats or draws.
    static let limit = 1_000

    func makeIterator() -> IndexingIterator<[Any]> { json.prefix(Self.limit).compactMap(values.value).makeIterator() }

    func transform(_ name: String) -> Any? {
        switch name {
        case "count": NumberValue(value: Double(json.count), format: values.format)
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

    /// The newest numbers, as far as they are drawn.
    private var numbers: [Double] { json.suffix(Self.limit).compactMap(\.number) }

    static let transforms: Set<String> = [
        "count", "empty", "first", "last", "reversed", "sparkline", "sparkarea", "sparkline100", "sparkarea100",
    ]
}
