import Synchronization
import WeirStates

/// Reads the lines of an export one after the other, and compares them with its end marker.
final class ExportReader: Sendable {
    /// The contents of the first line.
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

    /// The header, once it is read.
    var header: Header? { progress.withLock { $0.header } }

    /// The number of the line that was read last.
    var lineNumber: Int { progress.withLock { $0.lineNumber } }

    /// Does something with the lines at once, and adds the line's number to an error about a line.
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

    /// The next line; a line that cannot be read is counted all the same.
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
                epoch: try header.required("epoch", \.string),
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
    /// The error with the number of a line, if it is of a kind that a line can cause.
    func named(line: Int) -> JournalError {
        guard [.malformed, .outOfOrder, .conflict].contains(code) else { return self }
        return JournalError(code, "Line \(line): \(description)", cause: cause)
    }
}
