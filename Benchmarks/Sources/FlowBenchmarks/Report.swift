/// One row for each piece of work: what ours costs, and how many times that each peer costs.
struct Report {
    private let isQuick: Bool
    private let filter: String?

    /// Takes `--quick` and a word that a row's name must contain.
    init(arguments: [String]) {
        isQuick = arguments.contains("--quick")
        filter = arguments.dropFirst().first { !$0.hasPrefix("--") }
    }

    /// How often to repeat something that is done so often in a full run.
    func count(_ full: Int) -> Int { isQuick ? max(1, full / 10) : full }

    func includes(_ name: String) -> Bool { filter.map(name.contains) ?? true }

    /// Prints a row; the first result is ours.
    func row(_ name: String, unit: String = "ns", _ results: [(who: String, cost: Double)]) {
        guard let ours = results.first else { return }
        let peers = results.dropFirst().map { "\($0.who) \(round($0.cost)) (\(round($0.cost / ours.cost))x)" }
        print("\(name): \(ours.who) \(round(ours.cost)) \(unit)" + peers.map { " | " + $0 }.joined())
    }

    private func round(_ number: Double) -> String {
        guard number.isFinite else { return "-" }
        let tenths = Int((number * 10).rounded())
        return number >= 100 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }
}
