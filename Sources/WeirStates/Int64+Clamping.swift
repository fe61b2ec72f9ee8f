extension Int64 {
    /// Truncates a number toward zero and clamps it to the range of `Int64`; 0 if it is not a number.
    ///
    /// Numbers with a fraction come from payloads and feeds, and `Int64(_:)` traps on those that do not fit.
    package init(clamping number: Double) {
        if let whole = Int64(exactly: number.rounded(.towardZero)) {
            self = whole
        } else {
            self = number.isNaN ? 0 : number < 0 ? .min : .max
        }
    }
}
