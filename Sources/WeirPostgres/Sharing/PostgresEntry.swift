import WeirJournals

/// How a server becomes the one that records: it takes the server's lock, and raises the fence.
struct PostgresEntry: Sendable {
    /// What was entered.
    struct Entered: Sendable {
        let epoch: String
        let fence: Int64
    }

    /// The server; nil for one that is alone, or is refused.
    let node: PostgresNode?

    /// Tries once; nil if another server records.
    ///
    /// `silent` is a server that is to be replaced: only if it has not said anything since. Its connections are ended, and
    /// with them its lock, which can take a moment; then the next try succeeds.
    func enter(_ connection: PostgresConnection, replacing silent: JournalNode? = nil) throws -> Entered? {
        try connection.transaction {
            try connection.execute("SELECT pg_advisory_xact_lock(\(PostgresSchema.lock))")
            if let node, let other = try other(node, connection) {
                guard let silent, other.id == silent.id, other.beat == silent.beat else { return nil }
                try connection.execute(Self.endHolder)
            }
            let isAlone = try connection.first("SELECT pg_try_advisory_lock(\(PostgresSchema.server))") { $0.isTrue(0) }
            guard isAlone == true else { return nil }
            let entered = try connection.first("UPDATE weir.journal SET fence = fence + 1 RETURNING epoch, fence") {
                Entered(epoch: $0.text(0), fence: $0.integer(1))
            }
            if let silent { try connection.rows("DELETE FROM weir.nodes WHERE id = $1", [silent.id]) { _ in } }
            try connection.execute("UPDATE weir.nodes SET records = false WHERE records")
            if let node {
                try connection.rows(
                    """
                    INSERT INTO weir.nodes (id, name, records) VALUES ($1, $2, true)
                    ON CONFLICT (id) DO UPDATE SET records = true, beat = nodes.beat + 1
                    """, [node.id, node.name]
                ) { _ in }
            }
            return entered
        }
    }

    private func other(_ node: PostgresNode, _ connection: PostgresConnection) throws -> (id: String, beat: Int64)? {
        try connection.first("SELECT id, beat FROM weir.nodes WHERE records AND id <> $1", [node.id]) {
            ($0.text(0), $0.integer(1))
        }
    }

    /// Ends the connection that holds the server's lock: that of a server that is stopped or cut off.
    private static let endHolder = """
        SELECT pg_terminate_backend(l.pid) FROM pg_locks l
        WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1 AND l.pid <> pg_backend_pid()
            AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
            AND (l.classid::bigint << 32 | l.objid::bigint) = \(PostgresSchema.server)
        """
}
