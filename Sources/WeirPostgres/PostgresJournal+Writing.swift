import WeirFlows
package import WeirJournals

extension PostgresJournal {
    package func append(_ drafts: [ChangeDraft]) async throws -> [Change] {
        guard !drafts.isEmpty else { return [] }
        var call = AppendCall()
        for draft in drafts { try call.add(draft) }
        return call.changes(after: try await send(call).base)
    }

    package func appendOutput(run: String, lines: [OutputDraft], after: SequenceNumber?) async throws -> SequenceNumber
    {
        var call = AppendCall()
        call.add(lines, to: run, known: after)
        do {
            return try await send(call).lines.first.map { SequenceNumber(clamping: $0) } ?? .zero
        } catch let error as JournalError where error.isOvertaken {
            // The call waited for the lock, so an earlier call is committed or rolled back.
            let count = try await outputCount(of: run)
            guard try JournalError.areAppended(lines, to: run, after: after, count: count) else { throw error }
            return count
        }
    }

    package func addImported(_ entries: [ImportedEntry], at now: Timestamp) async throws {
        guard !entries.isEmpty else { return }
        var call = AppendCall(importedAt: now)
        for entry in entries {
            switch entry {
            case .change(let draft, let origin): try call.add(draft, origin: origin)
            case .line(let run, let line): call.add([line], to: run)
            }
        }
        _ = try await send(call)
    }

    /// Sends a call; returns the sequence before its first change, and the number of each run's last line.
    ///
    /// After a lost connection the call is repeated with the same number, and the database returns the original
    /// result.
    func send(_ call: AppendCall) async throws -> (base: SequenceNumber, lines: [Int64]) {
        let session = try appending()
        try session.check()
        let batch = session.nextBatch()
        let values = Values(try call.values(node: session.node, fence: session.fence, batch: batch))
        return try await writer.run { connection in
            do {
                let answer = try connection.first(AppendCall.statement, values.all) {
                    (base: try $0.sequence(0), lines: $0.integers(1))
                }
                guard let answer else { throw JournalError.damaged("no answer to an append") }
                session.recorded(batch: batch, base: answer.base, count: call.count)
                self.pulse?.ring()
                return answer
            } catch let failure as PostgresFailure {
                if session.follows, failure.state == PostgresState.fenced { throw JournalError.notAssigned }
                throw call.meaning(of: failure)
            }
        }
    }

    /// Makes the values of a statement sendable: every conforming type is a value type.
    private struct Values: @unchecked Sendable {
        let all: [any PostgresValue]

        init(_ all: [any PostgresValue]) { self.all = all }
    }

    // MARK: Reports

    /// The maximum number of attempts to decide about reports while others report the same runs.
    private static let judgements = 8

    package func report(_ reports: [Report], at now: Timestamp) async throws -> [ReportReceipt] {
        let names = Set(reports.map(\.run))
        for _ in 0..<Self.judgements {
            let known = try await read { connection in
                try Dictionary(names.map { ($0, try ReportReader(connection).known($0)) }) { $1 }
            }
            let draft = try ReportPlan(reports, at: now, knowing: known, after: .zero)
            guard !draft.call.isEmpty else { return draft.receipts }
            do {
                let base = try await send(draft.call).base
                return try ReportPlan(reports, at: now, knowing: known, after: base).receipts
            } catch let failure as JournalError where failure.code == .outOfOrder || failure.isOvertaken {
                continue
            }
        }
        throw JournalError(.unavailable, "Others report of the same run at the same time. Try again.")
    }

    // MARK: Pruning

    /// Removes ended runs and old changes of stores according to the policy.
    ///
    /// Each step is a short call, between which others can append. The next call completes an interrupted one. The
    /// database reuses the space.
    package func prune(_ policy: RetentionPolicy, now: Timestamp) async throws -> Int {
        var removed = 0
        while true {
            let leaving = try await readMoment { try RunRemoval($0).leaving(policy, now: now) }
            let hidden = leaving.isEmpty ? 0 : try await hide(leaving, isImport: false)
            removed += hidden
            try await sweep()
            if hidden == 0 { break }
        }
        if let kept = policy.maximumChangesPerStore {
            while try await call("SELECT weir.sweep_store($1, $2, $3)", max(1, kept), RunRemoval.rowsPerStep) == 1 {}
        }
        return removed
    }

    private func hide(_ streams: [Int64], isImport: Bool) async throws -> Int {
        Int(clamping: try await call("SELECT weir.hide($1, $2, $3)", streams, isImport))
    }

    func sweep() async throws {
        while try await call("SELECT weir.sweep($1, $2)", RunRemoval.rowsPerStep) == 1 {}
    }

    package func commitImport() async throws { try await call("SELECT weir.commit_import($1)") }

    package func rollBackImport() async throws -> Int {
        // First, because an interrupted rollback starts again.
        try await passOverImport()
        var removed = 0
        while true {
            let streams = try await writer.run { connection in
                try connection.all(
                    "SELECT stream FROM weir.importing ORDER BY stream LIMIT $1", [RunRemoval.runsPerStep]
                ) { $0.integer(0) }
            }
            guard !streams.isEmpty else { return removed }
            removed += try await hide(streams, isImport: true)
            try await sweep()
        }
    }

    /// Raises the floors to an unused sequence, so that clients that have read all imported changes detect the gap.
    private func passOverImport() async throws {
        let session = try writing()
        try session.check()
        try await writer.run { connection in
            try connection.transaction {
                try connection.rows("SELECT weir.enter($1)", [session.fence]) { _ in }
                let operations = try connection.all(
                    "SELECT DISTINCT r.operation FROM weir.runs r JOIN weir.importing i ON i.stream = r.opened"
                ) { $0.integer(0) }
                guard !operations.isEmpty else { return }
                try connection.rows("UPDATE weir.journal SET head = head + 1") { _ in }
                for operation in [0] + operations {
                    try connection.rows(
                        "SELECT weir.raise_floor($1, j.head) FROM weir.journal j", [operation]
                    ) { _ in }
                }
            }
        }
        pulse?.ring()
    }

    package func setNote(_ name: String, _ text: String?) async throws {
        try await call("SELECT weir.set_note($1, $2, $3)", AnyText(name), AnyText(text))
    }

    // MARK: Words

    /// Indexes the words of ended runs, for about ``searchTime``; the next call continues.
    func indexWords() async throws {
        let budget = WorkBudget(Self.searchTime)
        while !budget.isExceeded {
            let waiting = try await readMoment { try RunWords.waiting($0) }
            guard !waiting.isEmpty else { return }
            try await call(
                "SELECT weir.add_words($1, $2, $3, $4, $5, $6)", waiting.map(\.stream), waiting.map(\.sequence),
                waiting.map(\.lines), waiting.map(\.words), waiting.map(\.lexemes))
        }
    }
}
