import Synchronization
import WeirFlows

/// Reads an export in batches, on a thread that may wait for the disk.
///
/// A batch is small enough to be recorded in one short transaction. A mistake in a line is thrown only after the
/// entries before it were returned, so that the first mistake of a file is reported.
final class ExportBatches: Sendable {
    /// An entry with the number of its line.
    struct Numbered {
        let line: Int
        let entry: ExportedEntry
        /// How many bytes the line has.
        let bytes: Int
    }

    /// The maximum number of entries of a batch, and about how many bytes.
    static let entryLimit = 200
    static let byteLimit = 1_024 * 1_024

    private let reader = ExportReader()
    private let nextLine: @Sendable () throws -> String?
    private let failure = Mutex<(any Error)?>(nil)

    init(_ nextLine: @escaping @Sendable () throws -> String?) { self.nextLine = nextLine }

    /// The next entries; none at the end.
    ///
    /// Throws the mistake in the line after the last batch, beginning with its number.
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
