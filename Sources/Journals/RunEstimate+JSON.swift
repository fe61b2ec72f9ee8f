package import States

extension RunEstimate {
    /// The estimate as journals and exports write it: by case, `[shortest, longest, right, tried]`.
    package var json: JSONValue {
        .object(
            cases.mapValues { rest in
                [
                    .integer(rest.shortest), .integer(rest.longest), .integer(Int64(rest.right)),
                    .integer(Int64(rest.tried)),
                ]
            })
    }

    /// Reads what `json` writes; nil for anything else.
    package init?(_ json: JSONValue) {
        guard let members = json.object else { return nil }
        var cases: [String: Rest] = [:]
        for (name, value) in members {
            let numbers = value.array?.compactMap(\.integer) ?? []
            guard numbers.count == 4, value.array?.count == 4, Self.isRange(numbers[0], numbers[1]),
                Self.isRange(numbers[2], numbers[3])
            else { return nil }
            cases[name] = Rest(
                shortest: numbers[0], longest: numbers[1], right: Int(numbers[2]), tried: Int(numbers[3]))
        }
        self.init(cases: cases)
    }

    private static func isRange(_ low: Int64, _ high: Int64) -> Bool { 0 <= low && low <= high && high <= Self.limit }

    /// More than thirty years in milliseconds: what is beyond is no estimate, and could not be added to a moment.
    private static let limit: Int64 = 1_000_000_000_000
}
