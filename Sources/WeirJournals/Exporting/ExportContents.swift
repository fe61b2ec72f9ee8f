import WeirStates

/// The contents of a file of exported runs, read without importing anything.
package struct ExportContents: Sendable, Hashable {
    /// One run of the file.
    package struct Run: Sendable, Hashable {
        /// The run as far as the file describes it; its sequences are those of the journal it comes from.
        package internal(set) var record: RunRecord
        /// The number of its changes.
        package internal(set) var changes = 1
        /// The number of lines of its output.
        package internal(set) var lines = 0
    }

    /// The epoch of the journal that the file was made from.
    package let epoch: String
    /// When the file was created.
    package let created: Timestamp
    /// The runs, in the order of the file.
    package let runs: [Run]

    /// Reads a whole file, given line by line as for ``JournalImport``.
    ///
    /// Throws `JournalError`, beginning with the number of the line, for whatever an import would refuse in any
    /// journal, and the errors of `nextLine`. Keeps the runs' records in memory, not their changes.
    package init(reading nextLine: () throws -> String?) throws {
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
            guard let place = places[id], line.number == SequenceNumber(clamping: runs[place].lines).next else {
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
