package import WeirJournals

extension PostgresJournal: SharedJournal {
    package var node: String { pulse?.node.id ?? "" }

    package var isRecording: Bool { session != nil }

    package func beat(_ standing: NodeStanding, forgetting: [String]) async throws -> [JournalNode] {
        let nodes = try await pulse?.beat(standing, forgetting: forgetting) ?? []
        if session == nil {
            // Lost changes would be shown with sequences that can be assigned again.
            let held = try await writer.run { try $0.first("SELECT epoch FROM weir.journal") { $0.text(0) } }
            guard held == epoch else { throw JournalError.replaced }
        }
        return nodes
    }

    package func nextNotice() async throws { try await pulse?.nextNotice() }

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

    package var worker: Int64? { pulse?.node.worker }

    package func assign(_ run: String, to worker: Int64, stopping cause: String?) async throws {
        try await call("SELECT weir.assign($1, $2, $3, $4)", AnyText(run), worker, AnyText(cause))
        pulse?.ring()
    }

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

    package func release(_ runs: [String]) async throws {
        guard !runs.isEmpty else { return }
        try await call("SELECT weir.release($1, $2)", runs.map { AnyText($0) })
    }

    package func giveBack(_ runs: [String]) async throws {
        guard let worker, !runs.isEmpty else { return }
        try await writer.run { connection in
            try connection.rows(
                "DELETE FROM weir.assignments WHERE worker = $1 AND run = ANY ($2)", [worker, runs.map { AnyText($0) }]
            ) { _ in }
        }
    }

    package func rereadNotices() async throws {
        let notices = try await read { try PostgresOpening.notices($0) }
        show(notices)
    }

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

/// Commands are stored in the table `commands`, which `PostgresSchema` describes.
extension PostgresJournal: CommandExchange {
    package func hand(_ command: HandedCommand) async throws {
        try await pulse?.worker.run { connection in
            try connection.rows(
                "INSERT INTO weir.commands (id, node, command) VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING",
                [command.id, command.node, command.text]
            ) { _ in }
            // After the commit: within the transaction, NOTIFY would hold a lock of the whole instance.
            do {
                try connection.execute("NOTIFY \(PostgresPulse.Channel.commands.rawValue)")
            } catch {
                // The command is stored: the recording server finds it at its next heartbeat.
                guard !connection.isLost else { throw error }
            }
        }
    }

    package func replies(to ids: [String]) async throws -> [String: CommandReply] {
        let found = try await read { connection in
            try connection.all(
                """
                SELECT c.id, c.answer FROM weir.commands c, weir.journal j
                WHERE c.id = ANY ($1) AND (c.answer IS NOT NULL OR c.fence < j.fence)
                """, [ids]
            ) { ($0.text(0), $0.isNull(1) ? CommandReply.lost : .answered($0.text(1))) }
        }
        return Dictionary(found) { $1 }
    }

    package func withdraw(_ id: String) async throws -> CommandWithdrawal {
        let node = node
        // The writer waits until the commit is durable.
        return try await writer.run { connection in
            try connection.first(
                """
                INSERT INTO weir.commands AS c (id, node, withdrawn) VALUES ($1, $2, true)
                ON CONFLICT (id) DO UPDATE SET withdrawn = c.fence IS NULL RETURNING c.withdrawn, c.answer
                """, [id, node]
            ) { row in
                if row.isTrue(0) { return .withdrawn }
                return row.isNull(1) ? .claimed : .answered(row.text(1))
            } ?? .claimed
        }
    }

    package func removeCommands(_ ids: [String]) async throws {
        try await pulse?.worker.run { connection in
            try connection.rows("DELETE FROM weir.commands WHERE id = ANY ($1)", [ids]) { _ in }
        }
    }

    package func claimCommands(of nodes: [String], limit: Int) async throws -> [HandedCommand] {
        let session = try writing()
        let isAny = try await read { connection in
            try connection.first("SELECT true FROM weir.commands WHERE fence IS NULL AND NOT withdrawn LIMIT 1") { _ in
                true
            }
        }
        guard isAny == true, limit > 0 else { return [] }
        try session.check()
        // The number stays the same when the call is repeated after a lost connection, so it claims the same
        // commands.
        let claim = session.nextBatch()
        return try await writer.run { connection in
            try connection.all(
                "SELECT id, node, command FROM weir.claim_commands($1, $2, $3, $4) ORDER BY place",
                [session.fence, claim, nodes, limit]
            ) { HandedCommand(id: $0.text(0), node: $0.text(1), text: $0.text(2)) }
        }
    }

    package func answerCommand(_ id: String, with text: String) async throws {
        let fence = try writing().fence
        try await pulse?.worker.run { connection in
            try connection.rows(
                """
                UPDATE weir.commands c SET answer = $2 FROM weir.journal j
                WHERE c.id = $1 AND c.fence = $3 AND j.fence = $3
                """, [id, text, fence]
            ) { _ in }
        }
        pulse?.ring()
    }
}
