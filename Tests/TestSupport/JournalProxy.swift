package import WeirJournals

/// A journal that forwards to another; a double declares only the methods that differ.
package protocol JournalProxy: Journal {
    var inner: any Journal { get }

    /// Called before each read with the method's name; an error fails the read.
    func willRead(_ name: String) throws
}

extension JournalProxy {
    package func willRead(_ name: String) throws {}

    private func reading(_ name: String = #function) throws -> any Journal {
        try willRead(name)
        return inner
    }

    package var epoch: String { inner.epoch }
    package var began: Timestamp { inner.began }

    package func append(_ drafts: [ChangeDraft]) async throws -> [Change] { try await inner.append(drafts) }
    package func head() async throws -> SequenceNumber { try await reading().head() }
    package func floor(of topic: Topic) async throws -> SequenceNumber { try await reading().floor(of: topic) }
    package func changes(
        of topic: Topic, after: SequenceNumber, through last: SequenceNumber?, limit: Int
    ) async throws -> [Change] {
        try await reading().changes(of: topic, after: after, through: last, limit: limit)
    }
    package func newestChanges(
        of topic: Topic, through sequence: SequenceNumber, limit: Int
    ) async throws -> [Change] {
        try await reading().newestChanges(of: topic, through: sequence, limit: limit)
    }
    package func run(_ id: String) async throws -> RunRecord? { try await reading().run(id) }
    package func past(
        of run: String, at sequence: SequenceNumber?, transitions limit: Int
    ) async throws -> RunPast? {
        try await reading().past(of: run, at: sequence, transitions: limit)
    }
    package func activeRuns(of operation: String, at sequence: SequenceNumber) async throws -> Int {
        try await reading().activeRuns(of: operation, at: sequence)
    }
    package func run(idempotencyKey: String, operation: String, actor: String) async throws -> RunRecord? {
        try await reading().run(idempotencyKey: idempotencyKey, operation: operation, actor: actor)
    }
    package func runs(_ query: RunQuery) async throws -> RunPage { try await reading().runs(query) }
    package func counts() async throws -> [RunCount] { try await reading().counts() }
    package func unfinishedRuns() async throws -> [RunRecord] { try await reading().unfinishedRuns() }
    package func prune(_ policy: RetentionPolicy, now: Timestamp) async throws -> Int {
        try await inner.prune(policy, now: now)
    }
    package func pruned(of topic: Topic) async throws -> SequenceNumber { try await reading().pruned(of: topic) }
    package func delete(_ runs: [String], by actor: String, at now: Timestamp) async throws -> [RunDeletionOutcome] {
        try await inner.delete(runs, by: actor, at: now)
    }
    package func finishDeletion() async throws { try await inner.finishDeletion() }
    package func deletions(
        after: SequenceNumber, through last: SequenceNumber, limit: Int
    ) async throws -> [RunDeletion] {
        try await reading().deletions(after: after, through: last, limit: limit)
    }
    package func deletion(of run: String) async throws -> RunDeletion? { try await reading().deletion(of: run) }
    package func forecast(
        _ policy: RetentionPolicy, now: Timestamp, after sequence: SequenceNumber
    ) async throws -> RetentionForecast {
        try await inner.forecast(policy, now: now, after: sequence)
    }
    package func appendOutput(
        run: String, lines: [OutputDraft], after: SequenceNumber?
    ) async throws -> SequenceNumber {
        try await inner.appendOutput(run: run, lines: lines, after: after)
    }
    package func output(of run: String, after number: SequenceNumber, limit: Int) async throws -> [OutputLine] {
        try await reading().output(of: run, after: number, limit: limit)
    }
    package func output(of run: String, numbers: [SequenceNumber]) async throws -> [OutputLine] {
        try await reading().output(of: run, numbers: numbers)
    }
    package func outputCount(of run: String) async throws -> SequenceNumber {
        try await reading().outputCount(of: run)
    }
    package func report(_ reports: [Report], at now: Timestamp) async throws -> [ReportReceipt] {
        try await inner.report(reports, at: now)
    }
    package func addImported(_ entries: [ImportedEntry], at now: Timestamp) async throws {
        try await inner.addImported(entries, at: now)
    }
    package func commitImport() async throws { try await inner.commitImport() }
    package func rollBackImport() async throws -> Int { try await inner.rollBackImport() }
    package func note(_ name: String) async throws -> String? { try await inner.note(name) }
    package func setNote(_ name: String, _ text: String?) async throws { try await inner.setNote(name, text) }
    package func close() async { await inner.close() }
}

extension Journal {
    /// Deletes one run with its rows.
    package func delete(_ run: String, by actor: String, at now: Timestamp) async throws -> RunDeletionOutcome {
        let outcomes = try await delete([run], by: actor, at: now)
        try await finishDeletion()
        return outcomes.first ?? .unknown
    }
}
