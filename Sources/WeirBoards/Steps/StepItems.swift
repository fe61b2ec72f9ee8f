/// The items of a step that runs once for each of a list, with one letter for the status of each item.
package struct StepItems: Sendable, Hashable, Codable {
    package enum Mark: Character, Sendable, CaseIterable {
        case pending = "-"
        case running = "r"
        case succeeded = "s"
        case failed = "f"
        case cancelled = "c"
        case interrupted = "i"
    }

    package struct Failure: Sendable, Hashable, Codable {
        /// The index of the item, from 0.
        let index: Int
        /// The item as a text, shortened.
        package let item: String
        package let run: String?
        /// Why there is no run.
        package let detail: String?

        init(index: Int, item: String, run: String?, detail: String? = nil) {
            self.index = index
            self.item = String(item.prefix(80))
            self.run = run
            self.detail = detail.map { String($0.prefix(200)) }
        }
    }

    static let limit = 1_000
    static let maximumFailures = 20

    private var marks: String
    /// A hash of the items, by which another process recognises the same list.
    let digest: String
    /// The first items that did not succeed.
    package private(set) var failures: [Failure] = []
    /// The run of the same operation in which the succeeded items ran, if a retry took them over.
    var doneIn: String?

    init(total: Int, digest: String) {
        marks = String(repeating: Mark.pending.rawValue, count: max(0, min(total, Self.limit)))
        self.digest = digest
    }

    package var total: Int { marks.utf8.count }
    package var succeeded: Int { count(.succeeded) }
    /// The number of items that are over and did not succeed.
    package var failed: Int { count(.failed) + count(.cancelled) + count(.interrupted) }
    package var running: Int { count(.running) }

    package func count(_ mark: Mark) -> Int {
        // Bytes instead of characters, because each change of a thousand items counts all of them.
        let byte = mark.rawValue.asciiValue
        return marks.utf8.count { $0 == byte }
    }

    func indices(_ mark: Mark) -> [Int] {
        let byte = mark.rawValue.asciiValue
        return marks.utf8.enumerated().compactMap { $0.element == byte ? $0.offset : nil }
    }

    mutating func mark(_ index: Int, _ mark: Mark) {
        guard (0..<total).contains(index) else { return }
        let place = marks.utf8.index(marks.startIndex, offsetBy: index)
        marks.replaceSubrange(place...place, with: [mark.rawValue])
    }

    /// The run of the first known item that failed.
    package var failedRun: String? {
        let failed = Set(indices(.failed))
        return failures.filter { failed.contains($0.index) }.min { $0.index < $1.index }?.run
    }

    mutating func note(_ failure: Failure) {
        guard failures.count < Self.maximumFailures else { return }
        failures.append(failure)
    }

    /// The items of a new run, which takes over those that succeeded.
    func again(of run: String) -> StepItems {
        var items = StepItems(total: total, digest: digest)
        for index in indices(.succeeded) { items.mark(index, .succeeded) }
        items.doneIn = doneIn ?? run
        return items
    }
}
