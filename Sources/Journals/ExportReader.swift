import States
import Synchronization

/// Reads the lines of an export one after the other, and holds them against its end.
final class ExportReader: Sendable {
    /// What the first line says.
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

    /// What the first line said, once it is read.
    var header: Header? { progress.withLock { $0.header } }

    /// Does something with the lines, and begins what it throws about one with the line's number.
    func naming<Result>(_ body: () async throws -> Result) async throws -> Result {
        do { return try await body() } catch { throw named(error) }
    }

    /// Does something with the lines at once, and begins what it throws about one with the line's number.
    func naming<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch { throw named(error) }
    }

    private func named(_ error: any Error) -> any Error {
        guard let error = error as? JournalError, [.malformed, .outOfOrder, .conflict].contains(error.code) else {
            return error
        }
        let line = progress.withLock { $0.lineNumber }
        return JournalError(error.code, "Line \(line): \(error.description)", cause: error.cause)
    }

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
