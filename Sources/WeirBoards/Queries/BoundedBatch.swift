import WeirJournals
import WeirStates

/// A part of a list limited by the number of elements and their approximate size in bytes, with at least one element.
///
/// To fill it, read `room` elements at a time until `room` is 0. The batch size adapts to the size of the elements, so
/// that little is read beyond the limits.
struct BoundedBatch<Element> {
    private static var batchLimit: Int { 64 }
    /// The number of elements of the first read, when their size is unknown.
    private static var firstBatch: Int { 8 }

    private let limit: Int
    private let byteLimit: Int
    private var bytes = 0
    private var largest = 0

    private(set) var elements: [Element] = []
    /// Whether an element did not fit.
    private(set) var isCut = false

    init(limit: Int, bytes byteLimit: Int = Board.answerBytes) {
        self.limit = limit
        self.byteLimit = byteLimit
    }

    /// The number of elements per read, which take about as many bytes as one response.
    var batch: Int { largest == 0 ? Self.firstBatch : max(1, min(byteLimit / largest, Self.batchLimit)) }

    /// The number of elements to read next, including one that may not fit; 0 if the portion is full.
    var room: Int { isCut ? 0 : max(1, min(limit - elements.count + 1, batch)) }

    /// Reads until the portion is full or the list ends; `read` returns up to a number of elements after a given one.
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
    /// The approximate maximum size in bytes of the changes, runs or lines in one response; a single element may exceed
    /// it.
    package static let answerBytes = 256 * 1_024

    func portion(
        of topic: Topic, after: SequenceNumber, through last: SequenceNumber?, limit: Int
    ) async throws -> BoundedBatch<Change> {
        var portion = BoundedBatch<Change>(limit: limit)
        try await portion.fill(size: \.size) { [journal] end, count in
            try await journal.changes(of: topic, after: end?.sequence ?? after, through: last, limit: count)
        }
        return portion
    }

    func portion(ofOutputOf run: String, after: SequenceNumber, limit: Int) async throws -> BoundedBatch<OutputLine> {
        var portion = BoundedBatch<OutputLine>(limit: limit)
        try await portion.fill(size: \.size) { [journal] end, count in
            try await journal.output(of: run, after: end?.number ?? after, limit: count)
        }
        return portion
    }

    func portion(of query: RunQuery) async throws -> RunPage {
        var portion = BoundedBatch<RunRecord>(limit: query.limit)
        try await portion.fill(size: \.size) { [journal] end, count in
            var batch = end.map(query.following) ?? query
            batch.limit = count
            return try await journal.runs(batch).runs
        }
        return RunPage(runs: portion.elements, next: portion.isCut ? portion.elements.last?.openedSequence : nil)
    }
}

extension Change {
    var size: Int {
        256 + state.payload.byteEstimate + (draft.opening?.input.byteEstimate ?? 0)
            + (draft.step?.json.byteEstimate ?? 0)
    }
}

extension RunRecord {
    fileprivate var size: Int { 512 + state.payload.byteEstimate + opening.input.byteEstimate }
}

extension JSONValue {
    /// The approximate size in bytes, in memory or as text.
    var byteEstimate: Int {
        switch self {
        case .null, .bool, .integer: 16
        case .number(let number): 16 + String(number).utf8.count
        case .string(let text): 32 + text.utf8.count
        case .array(let elements): elements.reduce(32) { $0 + $1.byteEstimate }
        case .object(let members): members.reduce(64) { $0 + 32 + $1.key.utf8.count + $1.value.byteEstimate }
        }
    }
}
