import WeirJournals
import WeirStates

/// As much of a list as one answer has: no more elements than a limit, and about as many bytes, but always the first.
///
/// Pure.
///
/// Whoever fills it asks the journal for `room` elements at a time, as often as there is room. What does not fit is then
/// hardly read, however large the elements are.
struct Portion<Element> {
    /// The most elements that are read together.
    private static var batchLimit: Int { 64 }
    /// How many are read first, as nobody knows yet how large they are.
    private static var firstBatch: Int { 8 }

    private let limit: Int
    private let byteLimit: Int
    private var bytes = 0
    private var largest = 0

    /// What is in it.
    private(set) var elements: [Element] = []
    /// Whether an element did not fit, so that more follow.
    private(set) var isCut = false

    init(limit: Int, bytes byteLimit: Int = Board.answerBytes) {
        self.limit = limit
        self.byteLimit = byteLimit
    }

    /// How many elements to read together, so that they take about as much as an answer.
    var batch: Int { largest == 0 ? Self.firstBatch : max(1, min(byteLimit / largest, Self.batchLimit)) }

    /// How many elements to read next: about as many as fit, and one that may not; 0 when it is full.
    var room: Int { isCut ? 0 : max(1, min(limit - elements.count + 1, batch)) }

    /// Reads until it is full, or there is no more: `read` gives so many elements after the last one that was read.
    mutating func fill(size: (Element) -> Int, read: (Element?, Int) async throws -> [Element]) async throws {
        var end: Element?
        while room > 0 {
            let count = room
            let following = try await read(end, count)
            add(following, size: size)
            guard following.count == count else { return }
            end = following.last
        }
    }

    /// Adds those of the elements that follow that are wanted, as far as they fit.
    mutating func add(
        _ following: some Sequence<Element>, size: (Element) -> Int, where isWanted: (Element) -> Bool = { _ in true }
    ) {
        for element in following {
            let size = size(element)
            largest = max(largest, size)
            guard isWanted(element) else { continue }
            let hasRoom = elements.count < limit && (elements.isEmpty || bytes + size <= byteLimit)
            guard !isCut, hasRoom else {
                isCut = true
                return
            }
            elements.append(element)
            bytes += size
        }
    }
}

extension Board {
    /// About how many bytes of changes, runs or lines one answer has, but for a single one that is larger.
    package static let answerBytes = 256 * 1_024

    /// The topic's changes from the journal, as many as one answer has.
    func portion(
        of topic: Topic, after: SequenceNumber, through last: SequenceNumber?, limit: Int
    ) async throws -> Portion<Change> {
        var portion = Portion<Change>(limit: limit)
        try await portion.fill(size: \.size) { [journal] end, count in
            try await journal.changes(of: topic, after: end?.sequence ?? after, through: last, limit: count)
        }
        return portion
    }

    /// The lines of a run's output from the journal, as many as one answer has.
    func portion(ofOutputOf run: String, after: SequenceNumber, limit: Int) async throws -> Portion<OutputLine> {
        var portion = Portion<OutputLine>(limit: limit)
        try await portion.fill(size: \.size) { [journal] end, count in
            try await journal.output(of: run, after: end?.number ?? after, limit: count)
        }
        return portion
    }

    /// The runs that match from the journal, as many as one answer has.
    func portion(of query: RunQuery) async throws -> RunPage {
        var portion = Portion<RunRecord>(limit: query.limit)
        try await portion.fill(size: \.size) { [journal] end, count in
            var batch = end.map(query.following) ?? query
            batch.limit = count
            return try await journal.runs(batch).runs
        }
        return RunPage(runs: portion.elements, next: portion.isCut ? portion.elements.last?.openedSequence : nil)
    }
}

extension Change {
    /// About how many bytes the change takes.
    var size: Int {
        256 + state.payload.byteEstimate + (draft.opening?.input.byteEstimate ?? 0)
            + (draft.step?.json.byteEstimate ?? 0)
    }
}

extension RunRecord {
    /// About how many bytes the run takes.
    fileprivate var size: Int { 512 + state.payload.byteEstimate + opening.input.byteEstimate }
}

extension JSONValue {
    /// About how many bytes the value takes, in memory or as a text.
    var byteEstimate: Int {
        switch self {
        case .null, .bool, .integer, .number: 16
        case .string(let text): 32 + text.utf8.count
        case .array(let elements): elements.reduce(32) { $0 + $1.byteEstimate }
        case .object(let members): members.reduce(64) { $0 + 32 + $1.key.utf8.count + $1.value.byteEstimate }
        }
    }
}
