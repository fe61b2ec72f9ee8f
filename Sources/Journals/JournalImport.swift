/// Takes runs that another journal exported into a journal, all or nothing; see `ExportFormat`.
public struct JournalImport: Sendable {
    private let journal: any Journal
    private let now: Timestamp

    /// Prepares an import at that moment.
    public init(into journal: any Journal, at now: Timestamp) {
        self.journal = journal
        self.now = now
    }

    /// Imports the lines that `nextLine` gives, without their ends, until it gives nil.
    ///
    /// Throws `JournalError`, beginning with the number of the line: `malformed` for a line that is not what an export
    /// writes, and for a file that was cut off; `conflict` when a run is here already and differs. Then nothing was
    /// imported. What `nextLine` throws is thrown on. It is called on the journal's own thread, where it may read.
    public func lines(_ nextLine: @escaping @Sendable () throws -> String?) async throws -> ImportReport {
        let reader = ExportReader()
        do {
            return try await journal.importEntries(at: now) {
                try reader.next(nextLine)
            }
        } catch let error as JournalError where [.malformed, .outOfOrder, .conflict].contains(error.code) {
            throw JournalError(error.code, "Line \(reader.lineNumber): \(error.description)", cause: error.cause)
        }
    }
}
