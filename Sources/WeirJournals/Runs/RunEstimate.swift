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
    /// The median durations of the steps of the last successful runs, in milliseconds.
    package let steps: [String: Int64]
    /// The median duration of the last successful runs of steps, in milliseconds.
    package let whole: Int64?

    package init(cases: [String: Remaining], steps: [String: Int64] = [:], whole: Int64? = nil) {
        self.cases = cases
        self.steps = steps
        self.whole = whole
    }
}

extension RunEstimate {
    /// The members of `json` that are not names of cases, which contain no slash.
    private static let (stepsMember, wholeMember) = ("/steps", "/whole")

    /// The encoding in journals and exports: by case, `[shortest, longest, right, tried]`; the medians in `/steps` and
    /// `/whole`.
    package var json: JSONValue {
        var members = cases.mapValues { rest -> JSONValue in
            [
                .integer(rest.shortest), .integer(rest.longest), .integer(Int64(rest.right)),
                .integer(Int64(rest.tried)),
            ]
        }
        if !steps.isEmpty { members[Self.stepsMember] = .object(steps.mapValues { .integer($0) }) }
        if let whole { members[Self.wholeMember] = .integer(whole) }
        return .object(members)
    }

    /// Decodes `json`; nil for anything else.
    init?(_ json: JSONValue) {
        guard var members = json.object else { return nil }
        let medians = members.removeValue(forKey: Self.stepsMember)?.object?.compactMapValues(\.integer) ?? [:]
        let whole = members.removeValue(forKey: Self.wholeMember)?.integer
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
        guard medians.values.allSatisfy({ Self.isRange(0, $0) }), Self.isRange(0, whole ?? 0) else { return nil }
        self.init(cases: cases, steps: medians, whole: whole)
    }

    private static func isRange(_ low: Int64, _ high: Int64) -> Bool { 0 <= low && low <= high && high <= Self.limit }

    /// More than thirty years in milliseconds; larger values could not be added to a time.
    private static let limit: Int64 = 1_000_000_000_000
}
