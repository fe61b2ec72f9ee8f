/// What retention would remove from a journal at one moment.
package struct RetentionForecast: Sendable, Hashable {
    /// How many ended runs would be removed.
    package var runs: Int
    /// How many ended runs are kept now, including those.
    package var kept: Int
    /// How many runs that were started here have ended after the given sequence.
    package var recent: Int

    /// Creates a forecast.
    package init(runs: Int = 0, kept: Int = 0, recent: Int = 0) {
        self.runs = runs
        self.kept = kept
        self.recent = recent
    }
}
