package import WeirJournals

extension PostgresJournal: SharedJournal {
    /// This server's id among those that use the database.
    package var node: String { pulse?.node.id ?? "" }

    /// Whether this server is the one that records.
    package var isRecording: Bool { session != nil }

    /// Says that this server is there; returns all that have said so.
    package func beat(_ standing: NodeStanding, forgetting: [String]) async throws -> [JournalNode] {
        let nodes = try await pulse?.beat(standing, forgetting: forgetting) ?? []
        if session == nil {
            // What was followed and is gone would be shown with sequences that may be given again.
            let held = try await writer.run { try $0.first("SELECT epoch FROM weir.journal") { $0.text(0) } }
            guard held == epoch else { throw JournalError.replaced }
        }
        return nodes
    }

    /// Returns as soon as another server may have recorded something, and after at most a second.
    package func nextNotice() async throws { try await pulse?.nextNotice() }

    /// Takes the place of the server that records.
    package func takeOver(from silent: JournalNode?) async throws -> Bool {
        guard let pulse, session == nil else { return session != nil }
        let entered = try await writer.run { connection in
            try PostgresEntry(node: pulse.node).enter(connection, replacing: silent)
        }
        guard let entered else { return false }
        guard entered.epoch == epoch else { throw JournalError.replaced }
        self.entered.begin(entered, now: now)
        try await pulse.listenForCommands()
        try await undoInterruptedImport()
        return true
    }

    /// The number by which this process is assigned runs.
    package var worker: Int64? { pulse?.node.worker }

    /// Lets a server carry out a run, or asks the one that does to stop.
    package func assign(_ run: String, to worker: Int64, stopping cause: String?) async throws {
        try await call("SELECT weir.assign($1, $2, $3, $4)", AnyText(run), worker, AnyText(cause))
        pulse?.ring()
    }

    /// The assignments, in the order of their last changes.
    package func assignments(of worker: Int64?, after place: Int64) async throws -> [RunAssignment] {
        try await read { connection in
            try connection.all(
                """
                SELECT run, worker, cause, place FROM weir.assignments
                WHERE ($1::bigint IS NULL OR worker = $1) AND place > $2 ORDER BY place
                """, [worker, place]
            ) {
                RunAssignment(
                    run: $0.text(0), worker: $0.integer(1), cause: $0.isNull(2) ? nil : $0.text(2),
                    place: $0.integer(3))
            }
        }
    }

    /// Takes runs away from those who carried them out.
    package func release(_ runs: [String]) async throws {
        guard !runs.isEmpty else { return }
        try await call("SELECT weir.release($1, $2)", runs.map { AnyText($0) })
    }

    /// Gives back runs of this process whose ends and output are recorded.
    package func giveBack(_ runs: [String]) async throws {
        guard let worker, !runs.isEmpty else { return }
        try await writer.run { connection in
            try connection.rows(
                "DELETE FROM weir.assignments WHERE worker = $1 AND run = ANY ($2)", [worker, runs.map { AnyText($0) }]
            ) { _ in }
        }
    }

    /// Reads again what an operator should know.
    package func rereadNotices() async throws {
        let notices = try await read { try PostgresOpening.notices($0) }
        show(notices)
    }

    /// How many lines of output each of these runs has.
    package func outputCounts(of runs: [String]) async throws -> [String: SequenceNumber] {
        try await read { connection in
            let counts = try connection.all(
                """
                SELECT r.id, l.count FROM weir.runs r JOIN weir.lines l ON l.stream = r.opened WHERE r.id = ANY ($1)
                """, [runs.map { AnyText($0) }]
            ) { ($0.text(0), try $0.sequence(1)) }
            return Dictionary(counts) { $1 }
        }
    }
}
