/// A row of numbers as SVG path data in a box of 100 by 24, the newest at the right edge.
struct Sparkline {
    /// The line.
    let line: String
    /// The surface under it.
    let area: String

    /// Draws numbers; the top of the box is the maximum, or the largest of the numbers where none is given.
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
