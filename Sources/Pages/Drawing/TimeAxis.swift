/// How much time an axis shows while nobody knows how much it will have to.
///
/// It stays as it is for a while, so that what is drawn on it need not be drawn anew with each change.
enum TimeAxis {
    /// The shortest axis that has room for that many milliseconds and some more.
    static func length(holding milliseconds: Int64) -> Int64 {
        var unit: Int64 = 1_000
        while unit < Int64.max / 100, milliseconds >= unit * 9 { unit *= 10 }
        let steps: [Int64] = [10, 15, 20, 30, 40, 50, 60, 80, 100]
        return (steps.first { milliseconds < unit / 10 * $0 * 9 / 10 } ?? 100) * (unit / 10)
    }
}
