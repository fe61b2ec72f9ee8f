/// One row for each piece of work: what ours costs, and how many times that each peer costs.
struct Report {
    private let passes: Int
    private let isTabbed: Bool
    private let filter: String?

    /// Takes `--quick`, `--tabbed`, and a word that a row's name must contain.
    init(arguments: [String]) {
        passes = arguments.contains("--quick") ? 1 : 5
        isTabbed = arguments.contains("--tabbed")
        filter = arguments.dropFirst().first { !$0.hasPrefix("--") }
    }

    /// Measures a row and prints it; the first contender is ours.
    ///
    /// The contenders take turns, several times over, and of each the best counts: what else runs on the machine then
    /// hits all of them alike, or none.
    func row(_ name: String, unit: String = "ns", _ contenders: [Contender]) async {
        guard filter.map(name.contains) ?? true else { return }
        var costs = contenders.map { _ in Double.infinity }
        for _ in 0..<passes {
            for (number, contender) in contenders.enumerated() {
                costs[number] = min(costs[number], await contender.cost())
            }
        }
        let results = zip(contenders, costs)
        if isTabbed {
            for (contender, cost) in results { print(name, contender.who, cost, unit, separator: "\t") }
        } else {
            let peers = results.dropFirst().map { " | \($0.who) \(round($1)) (\(round($1 / costs[0]))x)" }
            print("\(name): \(contenders[0].who) \(round(costs[0])) \(unit)" + peers.joined())
        }
    }

    private func round(_ number: Double) -> String {
        guard number.isFinite else { return "-" }
        let tenths = Int((number * 10).rounded())
        return number >= 100 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }
}
