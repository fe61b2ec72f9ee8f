/// The result of an import.
package struct ImportReport: Sendable, Hashable {
    /// The ids of the imported runs, in the order of the file.
    package var imported: [String] = []
    /// The ids of the runs that were already here, identical in every byte (except for the end that an earlier import
    /// gave to an unfinished one).
    package var skipped: [String] = []
    /// The ids of the imported runs that had not ended when they were exported, and end as interrupted here.
    package var unfinished: [String] = []
    /// The number of imported changes.
    package var changes = 0
    /// The number of imported lines of output.
    package var lines = 0

    /// Creates an empty report.
    package init() {}
}
