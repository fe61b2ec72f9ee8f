import States
import Synchronization

/// Reads the lines of an export one after the other, and holds them against its end.
final class ExportReader: Sendable {
    private struct Progress {
        var lineNumber = 0
        var epoch: String?
        var counted = ExportSummary()
        var promised: ExportFields?
    }

    private let progress = Mutex(Progress())

    /// The number of the line that was read last, from 1.
    var lineNumber: Int { progress.withLock { $0.lineNumber } }

    /// The next change or line of output; nil at the end.
    ///
    /// Throws `malformed` for anything that is out of place.
    func next(_ nextLine: () throws -> String?) throws -> ExportedEntry? {
        while let line = try nextLine() {
            if let entry = try progress.withLock({ try Self.read(line, &$0) }) { return entry }
        }
        try progress.withLock { try Self.finish($0) }
        return nil
    }

    private static func read(_ line: String, _ progress: inout Progress) throws -> ExportedEntry? {
        progress.lineNumber += 1
        guard progress.promised == nil else { throw JournalError(.malformed, "Something follows the end marker.") }
        let fields = ExportFields(try parse(line))
        guard let epoch = progress.epoch else {
            let header = try fields.required("header", ExportFields.object)
            guard try header.required("format", \.integer) <= ExportFormat.version else {
                throw JournalError(.tooNew, "The file was written by a newer Weir. Import it with that version.")
            }
            progress.epoch = try header.required("epoch", \.string)
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
            throw JournalError(.malformed, "The end marker promises another number of \(name) than there are.")
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
