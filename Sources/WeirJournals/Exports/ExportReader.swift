import Synchronization
import WeirFlows
import WeirStates

/// Reads the lines of an export in order and checks them against its end marker.
final class ExportReader: Sendable {
    struct Header {
        let epoch: String
        let created: Timestamp
    }

    private struct Progress {
        var lineNumber = 0
        var header: Header?
        var counted = ExportSummary()
        var promised: ExportFields?
    }

    private let progress = Mutex(Progress())

    var header: Header? { progress.withLock { $0.header } }

    var lineNumber: Int { progress.withLock { $0.lineNumber } }

    /// Runs a body and adds the current line number to an error about a line.
    func naming<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch { throw named(error) }
    }

    private func named(_ error: any Error) -> any Error {
        (error as? JournalError)?.named(line: lineNumber) ?? error
    }

    /// The next change or line of output; nil at the end.
    ///
    /// Throws `malformed` for anything out of place.
    func next(_ nextLine: () throws -> String?) throws -> ExportedEntry? {
        while let line = try line(nextLine) {
            if let entry = try progress.withLock({ try Self.read(line, &$0) }) { return entry }
        }
        try progress.withLock { try Self.finish($0) }
        return nil
    }

    /// Reads the next line; also counts a line that cannot be read.
    private func line(_ nextLine: () throws -> String?) throws -> String? {
        do {
            let line = try nextLine()
            if line != nil { progress.withLock { $0.lineNumber += 1 } }
            return line
        } catch let error as JournalError {
            progress.withLock { $0.lineNumber += 1 }
            throw error
        }
    }

    private static func read(_ line: String, _ progress: inout Progress) throws -> ExportedEntry? {
        guard progress.promised == nil else { throw JournalError(.malformed, "There is text after the end marker.") }
        let fields = ExportFields(try parse(line))
        guard let epoch = progress.header?.epoch else {
            let header = try fields.required("header", ExportFields.object)
            guard try header.required("format", \.integer) <= ExportFormat.version else {
                throw JournalError(.tooNew, "The file was written by a newer Weir. Import it with that version.")
            }
            progress.header = Header(
                epoch: try header.name("epoch", limit: 64),
                created: try header.required("created", ExportFields.moment))
            return nil
        }
        if let change = try fields.optional("change", ExportFields.object)?.change(epoch: epoch) {
            progress.counted.changes += 1
            if change.revision == 0 { progress.counted.runs += 1 }
            return .change(change)
        }
        if let (run, line) = try fields.optional("output", ExportFields.object)?.outputLine() {
            progress.counted.lines += 1
            return .output(run: run, line)
        }
        progress.promised = try fields.required("end", ExportFields.object)
        return nil
    }

    private static func finish(_ progress: Progress) throws {
        guard let promised = progress.promised else {
            throw JournalError(.malformed, "The file ends here without its end marker: it was cut off.")
        }
        let counted = progress.counted
        for (name, count) in [("changes", counted.changes), ("lines", counted.lines), ("runs", counted.runs)]
        where try promised.required(name, \.integer) != Int64(count) {
            throw JournalError(.malformed, "The end marker gives a number of \(name) that differs from the file's.")
        }
    }

    private static func parse(_ line: String) throws -> JSONValue {
        do {
            return try JSONValue(parsing: line)
        } catch {
            throw JournalError(.malformed, "This is not JSON.", cause: error)
        }
    }
}

extension JournalError {
    /// Adds a line number to an error of a kind that a line can cause.
    func named(line: Int) -> JournalError {
        guard [.malformed, .outOfOrder, .conflict].contains(code) else { return self }
        return JournalError(code, "Line \(line): \(description)", cause: cause)
    }
}

/// Reads an export in batches, on a thread that may block on the disk.
///
/// A batch fits one short transaction. An error in a line is thrown only after the entries before it were returned,
/// so that the first error of a file is reported.
final class ExportBatches: Sendable {
    struct Numbered {
        let line: Int
        let entry: ExportedEntry
        let bytes: Int
    }

    /// The limits of a batch, in entries and approximately in bytes.
    static let entryLimit = 200
    static let byteLimit = 1_024 * 1_024

    private let reader = ExportReader()
    private let nextLine: @Sendable () throws -> String?
    private let failure = Mutex<(any Error)?>(nil)

    init(_ nextLine: @escaping @Sendable () throws -> String?) { self.nextLine = nextLine }

    /// The next entries; empty at the end.
    ///
    /// Throws the error of the line after the last batch, with its number.
    func next() async throws -> [Numbered] {
        try await WorkPool.bulk.run { try self.read() }
    }

    private func read() throws -> [Numbered] {
        if let failure = failure.withLock({ $0 }) { throw failure }
        var batch: [Numbered] = []
        var (bytes, length) = (0, 0)
        do {
            while batch.count < Self.entryLimit, bytes < Self.byteLimit {
                let entry = try reader.naming {
                    try reader.next {
                        let line = try nextLine()
                        length = line?.utf8.count ?? 0
                        return line
                    }
                }
                guard let entry else { break }
                bytes += length
                batch.append(Numbered(line: reader.lineNumber, entry: entry, bytes: length))
            }
        } catch {
            guard !batch.isEmpty else { throw error }
            failure.withLock { $0 = error }
        }
        return batch
    }
}

/// The contents of an export file, read without importing it.
package struct ExportContents: Sendable, Hashable {
    package struct Run: Sendable, Hashable {
        /// The run as described by the file; its sequences are those of the exporting journal.
        package internal(set) var record: RunRecord
        package internal(set) var changes = 1
        package internal(set) var lines = 0
    }

    package let epoch: String
    package let created: Timestamp
    package let runs: [Run]

    /// Reads a whole file line by line, as ``JournalImport`` does.
    ///
    /// Throws `JournalError`, with the line number, for anything that an import into any journal would refuse, and
    /// rethrows the errors of `nextLine`. Keeps the runs' records in memory, not their changes.
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
        if let place, runs[place].record.endedAt != nil { throw JournalError.afterEnd(change, of: id) }
        if let place {
            runs[place].record.apply(change)
            runs[place].changes += 1
        } else if let record = RunRecord(opening: change) {
            places[id] = runs.count
            runs.append(ExportContents.Run(record: record))
        }
    }
}
