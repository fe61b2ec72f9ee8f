import Logging
import WeirAccess
package import WeirJournals
import WeirStates

/// A text that declared an operation from a moment on.
package struct OperationVersion: Sendable, Hashable, Codable {
    package let digest: String
    package let since: Timestamp

    package init(digest: String, since: Timestamp) {
        self.digest = digest
        self.since = since
    }
}

/// The newest versions of the operations' files, in notes of the journal.
///
/// The text of a file can contain secrets, so a journal that several servers share has only its digest.
final class OperationVersions: Sendable {
    private static let note = "operation-versions"
    /// The number of versions of an operation, and the bytes of a text, that are kept.
    private static let kept = (versions: 8, bytes: 65_536)

    private let journal: any Journal
    private let now: @Sendable () -> Timestamp
    private let logger: Logger
    private let writing = AsyncLock()

    init(journal: any Journal, now: @escaping @Sendable () -> Timestamp, logger: Logger) {
        self.journal = journal
        self.now = now
        self.logger = logger
    }

    /// Records the files of a catalog that have changed; without effect if the journal cannot be written.
    func record(_ catalog: Catalog) async {
        do {
            try await writing.withLock {
                var index = try await index()
                let before = index
                for entry in catalog.entries where entry.partOf == nil {
                    guard let file = entry.declaration, index[entry.id]?.last?.digest != file.digest else { continue }
                    if !(journal is any SharedJournal), file.text.utf8.count <= Self.kept.bytes {
                        try await journal.setNote(Self.note(of: entry.id, file.digest), file.text)
                    }
                    index[entry.id, default: []].append(OperationVersion(digest: file.digest, since: now()))
                    try await forget(&index[entry.id, default: []], of: entry.id)
                }
                if index != before { try await journal.setNote(Self.note, JSONValue(encoding: index).text()) }
            }
        } catch {
            logger.warning(
                "The versions of the operations' files could not be recorded.", metadata: ["cause": "\(Quoted(error))"])
        }
    }

    private func forget(_ versions: inout [OperationVersion], of operation: String) async throws {
        while versions.count > Self.kept.versions {
            let old = versions.removeFirst()
            guard !versions.contains(where: { $0.digest == old.digest }) else { continue }
            try await journal.setNote(Self.note(of: operation, old.digest), nil)
        }
    }

    private static func note(of operation: String, _ digest: String) -> String {
        "operation-text \(operation) \(digest)"
    }

    private func index() async throws -> [String: [OperationVersion]] {
        guard let text = try await journal.note(Self.note) else { return [:] }
        return try JSONValue(parsing: text).decode([String: [OperationVersion]].self)
    }

    /// The versions of an operation's file at two moments, with their texts.
    func change(of operation: String, _ first: Timestamp, _ second: Timestamp) async throws -> OperationFileChange {
        let versions = try await index()[operation] ?? []
        var change = OperationFileChange(versions, first, second)
        guard change.isChanged, let before = change.first, let after = change.second else { return change }
        change.firstText = try await journal.note(Self.note(of: operation, before.digest))
        change.secondText = try await journal.note(Self.note(of: operation, after.digest))
        return change
    }
}

/// The file of an operation at the starts of two runs.
package struct OperationFileChange: Sendable, Hashable {
    /// The version in force; nil if none was recorded then.
    package var first: OperationVersion?
    package var second: OperationVersion?
    /// The texts, if they differ, are kept and may be seen.
    package var firstText: String?
    package var secondText: String?

    package init(_ versions: [OperationVersion], _ first: Timestamp, _ second: Timestamp) {
        self.first = versions.last { $0.since <= first }
        self.second = versions.last { $0.since <= second }
    }

    package var isChanged: Bool { first != nil && second != nil && first?.digest != second?.digest }

    package var diff: LineDiff? { lines.map { LineDiff($0.first, $0.second) } }

    /// The lines of both texts.
    package var lines: (first: [String], second: [String])? {
        guard let before = firstText, let after = secondText else { return nil }
        let lines = [before, after].map { $0.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) }
        return (lines[0], lines[1])
    }
}

extension VisibleBoard {
    /// The file of the operation of two runs at their starts, or nil if no file declares the operation.
    ///
    /// Its text can contain secrets, so it is included only with permission to administer the operation. Throws
    /// `unavailable`.
    package func fileChange(of runs: RunComparison) async throws(BoardError) -> OperationFileChange? {
        let record = runs.first.record
        let whole = catalog[record.operation]?.partOf ?? record.operation
        guard catalog[whole]?.declaration != nil, record.origin == nil, runs.second.record.origin == nil else {
            return nil
        }
        var change: OperationFileChange
        do {
            change = try await board.versions.change(of: whole, record.startedAt, runs.second.record.startedAt)
        } catch {
            throw .unreadable(error)
        }
        if !permissions.allows(.administer, on: .operation(whole)) {
            (change.firstText, change.secondText) = (nil, nil)
        }
        return change
    }
}
