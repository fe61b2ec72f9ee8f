import States

/// What a file of exported runs holds, told without taking anything of it into a journal.
public struct ExportContents: Sendable, Hashable {
    /// One run of the file.
    public struct Run: Sendable, Hashable {
        /// The run as far as the file tells it; its sequences are those of the journal it comes from.
        public internal(set) var record: RunRecord
        /// How many changes of it there are.
        public internal(set) var changes = 1
        /// How many lines of its output there are.
        public internal(set) var lines = 0
    }

    /// The epoch of the journal the file was made of.
    public let epoch: String
    /// When the file was made.
    public let created: Timestamp
    /// The runs, in the order of the file.
    public let runs: [Run]

    /// Reads a whole file, given line by line as to ``JournalImport``.
    ///
    /// Throws `JournalError`, beginning with the number of the line, for what an import would refuse in any journal, and
    /// what `nextLine` throws. Keeps the runs' records in memory, not their changes.
    public init(reading nextLine: () throws -> String?) throws {
        let reader = ExportReader()
        let fold = try reader.naming { () throws -> ContentsFold in
            var fold = ContentsFold()
            while let entry = try reader.next(nextLine) { try fold.step(entry) }
            return fold
        }
        epoch = reader.header?.epoch ?? ""
        created = reader.header?.created ?? Timestamp(milliseconds: 0)
        runs = fold.runs
    }
}

/// Gathers the runs of an export.
private struct ContentsFold {
    private var places: [String: Int] = [:]
    private(set) var runs: [ExportContents.Run] = []

    mutating func step(_ entry: ExportedEntry) throws {
        switch entry {
        case .change(let change): try step(change)
        case .output(let id, let line):
            guard let place = places[id], line.number == Int64(runs[place].lines) + 1 else {
                throw JournalError.lineOutOfPlace(line, of: id)
            }
            runs[place].lines += 1
        }
    }

    private mutating func step(_ change: Change) throws {
        guard case .run(let id) = change.stream else { throw JournalError.noRun(change.stream) }
        let place = places[id]
        try change.draft.check(follows: place.map { (runs[$0].record.revision, runs[$0].record.operation) })
        if let place {
            runs[place].record.apply(change)
            runs[place].changes += 1
        } else if let record = RunRecord(opening: change) {
            places[id] = runs.count
            runs.append(ExportContents.Run(record: record))
        }
    }
}
