package import WeirStates

/// An estimate of a run's duration from earlier runs, recorded with its first change.
///
/// It is computed when the run begins and never changes, so that every page of the run can be rendered again.
package struct RunEstimate: Sendable, Hashable, Codable {
    /// The estimate on entry to a case.
    package struct Remaining: Sendable, Hashable, Codable {
        /// The shortest time until the run ends, in milliseconds from when it first enters the case.
        package let shortest: Int64
        /// The longest time, in milliseconds.
        package let longest: Int64
        /// The number of tested runs for which the estimate, computed from the others, was right.
        package let right: Int
        /// The number of newest runs that were tested.
        package let tried: Int

        package init(shortest: Int64, longest: Int64, right: Int, tried: Int) {
            self.shortest = shortest
            self.longest = longest
            self.right = right
            self.tried = tried
        }
    }

    package let cases: [String: Remaining]

    package init(cases: [String: Remaining]) { self.cases = cases }
}

extension RunEstimate {
    /// The encoding in journals and exports: by case, `[shortest, longest, right, tried]`.
    package var json: JSONValue {
        .object(
            cases.mapValues { rest in
                [
                    .integer(rest.shortest), .integer(rest.longest), .integer(Int64(rest.right)),
                    .integer(Int64(rest.tried)),
                ]
            })
    }

    /// Decodes `json`; nil for anything else.
    package init?(_ json: JSONValue) {
        guard let members = json.object else { return nil }
        var cases: [String: Remaining] = [:]
        for (name, value) in members {
            let numbers = value.array?.compactMap(\.integer) ?? []
            guard numbers.count == 4, value.array?.count == 4, Self.isRange(numbers[0], numbers[1]),
                Self.isRange(numbers[2], numbers[3])
            else { return nil }
            cases[name] = Remaining(
                shortest: numbers[0], longest: numbers[1], right: Int(clamping: numbers[2]),
                tried: Int(clamping: numbers[3]))
        }
        self.init(cases: cases)
    }

    private static func isRange(_ low: Int64, _ high: Int64) -> Bool { 0 <= low && low <= high && high <= Self.limit }

    /// More than thirty years in milliseconds; larger values could not be added to a time.
    private static let limit: Int64 = 1_000_000_000_000
}
