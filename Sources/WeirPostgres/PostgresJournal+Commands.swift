package import WeirJournals

/// The commands in the table `commands`, which `PostgresSchema` describes.
extension PostgresJournal: CommandExchange {
    /// Hands a command over.
    package func hand(_ command: HandedCommand) async throws {
        try await pulse?.worker.run { connection in
            try connection.rows(
                "INSERT INTO weir.commands (id, node, command) VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING",
                [command.id, command.node, command.text]
            ) { _ in }
            // After the commit: within the transaction it would hold a lock of the whole instance.
            try connection.execute("NOTIFY \(PostgresPulse.Channel.commands.rawValue)")
        }
    }

    /// What has become of commands.
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

    /// Takes a command back, unless it was claimed.
    package func withdraw(_ id: String) async throws -> CommandWithdrawal {
        let node = node
        // The writer waits until the database has it on its disk.
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

    /// Removes commands.
    package func removeCommands(_ ids: [String]) async throws {
        try await pulse?.worker.run { connection in
            try connection.rows("DELETE FROM weir.commands WHERE id = ANY ($1)", [ids]) { _ in }
        }
    }

    /// Claims the oldest commands that wait.
    package func claimCommands(of nodes: [String], limit: Int) async throws -> [HandedCommand] {
        let session = try writing()
        let isAny = try await read { connection in
            try connection.first("SELECT true FROM weir.commands WHERE fence IS NULL AND NOT withdrawn LIMIT 1") { _ in
                true
            }
        }
        guard isAny == true, limit > 0 else { return [] }
        try session.check()
        // The same number when the call is repeated, as the connection broke: then it claims the same commands.
        let claim = session.nextBatch()
        return try await writer.run { connection in
            try connection.all(
                "SELECT id, node, command FROM weir.claim_commands($1, $2, $3, $4) ORDER BY place",
                [session.fence, claim, nodes, limit]
            ) { HandedCommand(id: $0.text(0), node: $0.text(1), text: $0.text(2)) }
        }
    }

    /// Answers a command that this server claimed.
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
