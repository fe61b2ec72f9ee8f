import WeirJournals

extension PostgresFunctions {
    /// Deletions of runs: their table, the floors without deletions, and the functions that keep both apart.
    ///
    /// - `raise_floor`: raises a floor for an unrecorded removal, also for calls of servers of earlier versions.
    /// - `conceal`: hides runs from all reads without raising floors; returns their number.
    /// - `hide`: hides ended runs from all reads, for retention and rollbacks of imports; returns their number.
    static let deletions = """
        CREATE TABLE weir.deletions (
            sequence bigint PRIMARY KEY, opened bigint NOT NULL, changes bigint NOT NULL, run bytea NOT NULL,
            operation bigint NOT NULL, at bigint NOT NULL, actor bigint NOT NULL);
        CREATE INDEX deletions_of_run ON weir.deletions (run, sequence);
        CREATE INDEX runs_of_steps ON weir.runs (idempotency_key)
            WHERE substring(idempotency_key FROM 1 FOR 5) = 'step '::bytea;
        INSERT INTO weir.floors (operation, sequence) SELECT -1 - f.operation, f.sequence FROM weir.floors f;
        INSERT INTO weir.floors AS f (operation, sequence) SELECT -1, j.head FROM weir.journal j WHERE j.head > 0
            ON CONFLICT (operation) DO UPDATE SET sequence = greatest(f.sequence, excluded.sequence);

        CREATE OR REPLACE FUNCTION weir.raise_floor(operation bigint, sequence bigint) RETURNS void LANGUAGE sql AS $$
            INSERT INTO weir.floors AS f (operation, sequence) VALUES ($1, $2), (-1 - $1, $2)
            ON CONFLICT (operation) DO UPDATE SET sequence = greatest(f.sequence, excluded.sequence)
        $$;

        CREATE FUNCTION weir.conceal(streams bigint[]) RETURNS bigint LANGUAGE plpgsql AS $$
        #variable_conflict use_column
        DECLARE v_count bigint;
        BEGIN
            INSERT INTO weir.counts AS k (operation, phase, count)
                SELECT r.operation, r.phase, -count(*) FROM weir.runs r WHERE r.opened = ANY (streams) GROUP BY 1, 2
                ON CONFLICT (operation, phase) DO UPDATE SET count = k.count + excluded.count;
            INSERT INTO weir.removed_reports (id) SELECT r.id FROM weir.runs r
                WHERE r.opened = ANY (streams) AND r.report IS NOT NULL AND r.epoch IS NULL ORDER BY r.opened
                ON CONFLICT DO NOTHING;
            DELETE FROM weir.removed_reports p
                WHERE p.place <= (SELECT max(q.place) FROM weir.removed_reports q) - 1000000;
            DELETE FROM weir.run_text x WHERE x.opened = ANY (streams);
            DELETE FROM weir.runs r WHERE r.opened = ANY (streams);
            GET DIAGNOSTICS v_count = ROW_COUNT;
            INSERT INTO weir.leaving (stream) SELECT unnest(streams);
            DELETE FROM weir.blocks b WHERE b.block < (
                SELECT coalesce(min(r.opened), 0) >> \(PostgresSchema.blockBits) FROM weir.runs r);
            RETURN v_count;
        END $$;

        CREATE OR REPLACE FUNCTION weir.hide(fence bigint, streams bigint[], is_import boolean)
        RETURNS bigint LANGUAGE plpgsql AS $$
        #variable_conflict use_column
        DECLARE v_count bigint; v_streams bigint[];
        BEGIN
            PERFORM weir.enter(fence);
            SELECT coalesce(array_agg(r.opened ORDER BY r.opened), '{}') INTO v_streams FROM weir.runs r
                WHERE r.opened = ANY (streams) AND (is_import OR r.ended IS NOT NULL)
                    AND is_import = EXISTS (SELECT FROM weir.importing i WHERE i.stream = r.opened);
            PERFORM weir.raise_floor(x.operation, x.sequence) FROM (
                SELECT r.operation, max(r.sequence) AS sequence FROM weir.runs r WHERE r.opened = ANY (v_streams)
                    GROUP BY r.operation
                UNION ALL SELECT 0, max(r.sequence) FROM weir.runs r WHERE r.opened = ANY (v_streams)) x
                WHERE x.sequence IS NOT NULL;
            v_count := weir.conceal(v_streams);
            IF is_import THEN DELETE FROM weir.importing i WHERE i.stream = ANY (streams); END IF;
            RETURN v_count;
        END $$;

        """
}
