/// How long a run may take, as far as runs before it tell: recorded with its first change.
///
/// It is made of what was known when the run began, and stays as it is, so that every page of the run can be rendered again.
public struct RunEstimate: Sendable, Hashable, Codable {
    /// What is told of a run that enters a case.
    public struct Rest: Sendable, Hashable, Codable {
        /// In how many milliseconds the run will have ended at the earliest, from when it first enters the case.
        public let shortest: Int64
        /// In how many milliseconds at the latest.
        public let longest: Int64
        /// Of how many of the runs before it would have been right, had it been made of the others.
        public let right: Int
        /// Of how many of them that was tried, the newest.
        public let tried: Int

        /// Makes a range with its record.
        public init(shortest: Int64, longest: Int64, right: Int, tried: Int) {
            self.shortest = shortest
            self.longest = longest
            self.right = right
            self.tried = tried
        }
    }

    /// What is told, by the name of the case.
    public let cases: [String: Rest]

    /// Makes an estimate.
    public init(cases: [String: Rest]) { self.cases = cases }
}
