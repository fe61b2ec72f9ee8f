import WeirJournals

/// The database functions that write the journal; each call is a separate transaction.
///
/// Each takes the lock in a separate first statement, so that the following ones see everything committed before.
/// Since a call is one statement, a server that stops or loses its connection never holds the lock.
enum PostgresFunctions {
    /// `append`: writes changes, lines and producers, all or none; returns the sequence before the first change, and
    /// the number of the last line for each run of `l_run`.
    ///
    /// `fence` is that of the recording server or, if negative, the number of a following one, which may append to
    /// its assigned runs: see `carries_out`.
    ///
    /// `s_…` has one row per stream that summarises its changes: `s_first` and `s_last` are revisions, `s_at` and
    /// `s_end` the positions of its first and last change in the call (from 1), and `s_actor` is set if the run
    /// begins. `c_…` has one row per change, with `c_stream` the position of its stream; `l_…` one per run with
    /// lines, with `l_known` the expected number of lines, or null; `o_…` one per line, with `o_run` the position of
    /// its run and `o_number` its own; `p_…` one per producer.
    static let append = """
        CREATE OR REPLACE FUNCTION weir.append(
            node text, fence bigint, batch bigint, imported_at bigint,
            s_run boolean[], s_id bytea[], s_subject bytea[], s_first bigint[], s_last bigint[], s_at bigint[],
            s_end bigint[], s_phase bigint[], s_ended bigint[], s_actor bytea[], s_input text[], s_retry bytea[],
            s_key bytea[], s_started bigint[], s_expected text[], s_report bytea[], s_epoch text[],
            c_stream bigint[], c_revision bigint[], c_at bigint[], c_case bytea[], c_phase bigint[],
            c_transition boolean[], c_done bigint[], c_total bigint[], c_unit bigint[], c_payload text[],
            c_cause bytea[], c_origin bigint[], c_step text[],
            l_run bytea[], l_known bigint[],
            o_run bigint[], o_number bigint[], o_at bigint[], o_channel bigint[], o_continues boolean[], o_text bytea[],
            p_run bytea[], p_id bytea[], p_epoch bigint[], p_number bigint[], p_closed boolean[]\(JournalColumns.adding { "s_\($0.name) bigint[] DEFAULT NULL" }))
        RETURNS TABLE (base bigint, counts bigint[]) LANGUAGE plpgsql AS $$
        #variable_conflict use_column
        DECLARE
            v_base bigint; v_counts bigint[] := '{}'; v_fence bigint; v_opened bigint[]; v_operation bigint[];
            v_stream bigint[]; v_wrong text; v_total bigint := coalesce(array_length(c_stream, 1), 0);
        BEGIN
            PERFORM pg_advisory_xact_lock(\(PostgresSchema.lock));
            SELECT b.first, b.lines INTO v_base, v_counts FROM weir.batches b
                WHERE b.node = append.node AND b.number = append.batch;
            IF FOUND THEN RETURN QUERY SELECT v_base, v_counts; RETURN; END IF;
            v_counts := '{}';
            SELECT j.head, j.fence INTO v_base, v_fence FROM weir.journal j;
            IF append.fence >= 0 AND v_fence <> append.fence
                OR append.fence < 0 AND NOT weir.carries_out(-append.fence, s_id || l_run)
            THEN
                RAISE EXCEPTION 'another server records here' USING ERRCODE = 'WR001';
            END IF;
            IF v_base + v_total > 9007199254740991 THEN
                RAISE EXCEPTION 'the last number is assigned' USING ERRCODE = 'WR004';
            END IF;

            IF v_total > 0 THEN
                IF EXISTS (SELECT FROM unnest(s_actor) a WHERE a IS NOT NULL) THEN
                    INSERT INTO weir.names (name)
                        SELECT DISTINCT x.name FROM (
                            SELECT unnest(ARRAY[t.subject, t.actor]) AS name
                            FROM unnest(s_subject, s_actor) AS t(subject, actor) WHERE t.actor IS NOT NULL) x
                        WHERE NOT EXISTS (SELECT FROM weir.names n WHERE sha256(n.name) = sha256(x.name));
                END IF;
                SELECT array_agg(coalesce(r.opened, s.opened, v_base + t.at) ORDER BY t.i),
                    array_agg(CASE WHEN t.is_run THEN n.id END ORDER BY t.i),
                    min(concat_ws(' ', t.i - 1, coalesce(r.revision, s.revision), (r.operation = n.id OR s.subject = t.subject)))
                        FILTER (WHERE coalesce(r.revision, s.revision, -1) + 1 <> t.first
                            OR coalesce(r.operation <> n.id, r.opened IS NOT NULL AND n.id IS NULL)
                            OR coalesce(s.subject <> t.subject, false))
                    INTO v_opened, v_operation, v_wrong
                    FROM unnest(s_run, s_id, s_subject, s_first, s_at) WITH ORDINALITY
                        AS t(is_run, id, subject, first, at, i)
                    LEFT JOIN weir.runs r ON t.is_run AND r.id = t.id
                    LEFT JOIN weir.stores s ON NOT t.is_run AND s.id = t.id
                    LEFT JOIN weir.names n ON t.is_run AND sha256(n.name) = sha256(t.subject);
                IF v_wrong IS NOT NULL THEN
                    RAISE EXCEPTION 'a change does not follow' USING ERRCODE = 'WR002', DETAIL = v_wrong;
                END IF;

                INSERT INTO weir.changes (sequence, stream, revision, operation, at, "case", phase, transition, done, total,
                        unit, payload, cause, origin, step)
                    SELECT v_base + c.i, v_opened[c.stream], c.revision, v_operation[c.stream], c.at, c."case", c.phase,
                        c.transition, c.done, c.total, c.unit, c.payload, c.cause, c.origin, c.step
                    FROM unnest(c_stream, c_revision, c_at, c_case, c_phase, c_transition, c_done, c_total, c_unit,
                            c_payload, c_cause, c_origin, c_step) WITH ORDINALITY
                        AS c(stream, revision, at, "case", phase, transition, done, total, unit, payload, cause, origin,
                            step, i)
                    ORDER BY c.i;
                INSERT INTO weir.counts AS k (operation, phase, count)
                    SELECT d.operation, d.phase, sum(d.count) FROM (
                        SELECT v_operation[t.i] AS operation, t.phase, 1 AS count
                            FROM unnest(s_run, s_phase) WITH ORDINALITY AS t(is_run, phase, i) WHERE t.is_run
                        UNION ALL
                        SELECT r.operation, r.phase, -1 FROM unnest(v_opened) AS t(opened)
                            JOIN weir.runs r ON r.opened = t.opened) d
                    GROUP BY d.operation, d.phase HAVING sum(d.count) <> 0
                    ON CONFLICT (operation, phase) DO UPDATE SET count = k.count + excluded.count;
                DELETE FROM weir.run_text x USING unnest(v_opened) AS t(opened), weir.runs r
                    WHERE r.opened = t.opened AND r.indexed AND x.opened = t.opened;
                UPDATE weir.runs r SET phase = t.phase, revision = t.last, sequence = v_base + t.end_at, ended = t.ended,
                        ended_sequence = CASE WHEN t.ended IS NOT NULL THEN v_base + t.end_at END,
                        ages_from = CASE WHEN t.ended IS NOT NULL THEN greatest(t.ended, imported_at) END, indexed = false
                    FROM unnest(s_run, s_last, s_end, s_phase, s_ended, s_actor) WITH ORDINALITY
                        AS t(is_run, last, end_at, phase, ended, actor, i)
                    WHERE t.is_run AND t.actor IS NULL AND r.opened = v_opened[t.i];
                INSERT INTO weir.runs (opened, id, operation, actor, input, retry_of, idempotency_key, phase, revision,
                        sequence, started, ended, ended_sequence, ages_from, epoch, expected,
                        report\(JournalColumns.adding(\.name)))
                    SELECT v_opened[t.i], t.id, v_operation[t.i], a.id, t.input, t.retry, t.key, t.phase, t.last,
                        v_base + t.end_at, t.started, t.ended,
                        CASE WHEN t.ended IS NOT NULL THEN v_base + t.end_at END,
                        CASE WHEN t.ended IS NOT NULL THEN greatest(t.ended, imported_at) END, t.epoch, t.expected,
                        t.report\(JournalColumns.adding { "coalesce(t.\($0.name), \($0.unset))" })
                    FROM unnest(s_id, s_last, s_end, s_phase, s_ended, s_actor, s_input, s_retry, s_key, s_started,
                            s_expected, s_report, s_epoch\(JournalColumns.adding { "s_\($0.name)" })) WITH ORDINALITY
                        AS t(id, last, end_at, phase, ended, actor, input, retry, key, started, expected, report,
                            epoch\(JournalColumns.adding(\.name)), i)
                    JOIN weir.names a ON sha256(a.name) = sha256(t.actor)
                    WHERE t.actor IS NOT NULL;
                INSERT INTO weir.blocks AS b (block, earliest, latest)
                    SELECT v_opened[t.i] >> \(PostgresSchema.blockBits), min(t.started), max(t.started)
                    FROM unnest(s_started) WITH ORDINALITY AS t(started, i) WHERE t.started IS NOT NULL GROUP BY 1
                    ON CONFLICT (block) DO UPDATE SET earliest = least(b.earliest, excluded.earliest),
                        latest = greatest(b.latest, excluded.latest);
                IF imported_at IS NOT NULL THEN
                    INSERT INTO weir.importing (stream) SELECT v_opened[t.i]
                        FROM unnest(s_actor) WITH ORDINALITY AS t(actor, i) WHERE t.actor IS NOT NULL;
                END IF;
                INSERT INTO weir.stores (opened, id, subject, revision)
                    SELECT v_opened[t.i], t.id, t.subject, t.last
                    FROM unnest(s_run, s_id, s_subject, s_last) WITH ORDINALITY AS t(is_run, id, subject, last, i)
                    WHERE NOT t.is_run
                    ON CONFLICT (id) DO UPDATE SET revision = excluded.revision;
                UPDATE weir.journal SET head = v_base + v_total;
            END IF;

            IF array_length(l_run, 1) > 0 THEN
                SELECT array_agg(r.opened ORDER BY t.i), array_agg(coalesce(l.count, 0) ORDER BY t.i),
                    min(t.i - 1) FILTER (WHERE r.opened IS NULL)
                    INTO v_stream, v_counts, v_wrong
                    FROM unnest(l_run) WITH ORDINALITY AS t(id, i)
                    LEFT JOIN weir.runs r ON r.id = t.id LEFT JOIN weir.lines l ON l.stream = r.opened;
                IF v_wrong IS NOT NULL THEN
                    RAISE EXCEPTION 'a run is not kept' USING ERRCODE = 'WR003', DETAIL = v_wrong;
                END IF;
                IF EXISTS (SELECT FROM unnest(l_known, v_counts) AS t(known, count) WHERE t.known <> t.count) THEN
                    RAISE EXCEPTION 'lines were added' USING ERRCODE = 'WR005';
                END IF;
                INSERT INTO weir.output (stream, number, at, channel, continues, text)
                    SELECT v_stream[o.run], v_counts[o.run] + o.number, o.at, o.channel, o.continues, o.text
                    FROM unnest(o_run, o_number, o_at, o_channel, o_continues, o_text)
                        AS o(run, number, at, channel, continues, text);
                WITH added AS (SELECT o.run, count(*) AS count FROM unnest(o_run) AS o(run) GROUP BY o.run)
                SELECT array_agg(t.count + coalesce(a.count, 0) ORDER BY t.i) INTO v_counts
                    FROM unnest(v_counts) WITH ORDINALITY AS t(count, i) LEFT JOIN added a ON a.run = t.i;
                IF (SELECT max(c) FROM unnest(v_counts) c) > 9007199254740991 THEN
                    RAISE EXCEPTION 'the last number is assigned' USING ERRCODE = 'WR004';
                END IF;
                INSERT INTO weir.lines (stream, count) SELECT t.stream, t.count FROM unnest(v_stream, v_counts) AS t(stream, count)
                    ON CONFLICT (stream) DO UPDATE SET count = excluded.count;
                DELETE FROM weir.run_text x USING unnest(v_stream) AS t(opened), weir.runs r
                    WHERE r.opened = t.opened AND r.indexed AND x.opened = t.opened;
                UPDATE weir.runs r SET indexed = false FROM unnest(v_stream) AS t(opened)
                    WHERE r.opened = t.opened AND r.indexed;
            END IF;

            INSERT INTO weir.producers (stream, id, epoch, number, closed)
                SELECT r.opened, t.id, t.epoch, t.number, t.closed
                FROM unnest(p_run, p_id, p_epoch, p_number, p_closed) AS t(run, id, epoch, number, closed)
                JOIN weir.runs r ON r.id = t.run
                ON CONFLICT (stream, id) DO UPDATE
                SET epoch = excluded.epoch, number = excluded.number, closed = excluded.closed;

            INSERT INTO weir.batches (node, number, first, lines) VALUES (append.node, append.batch, v_base, v_counts);
            DELETE FROM weir.batches b WHERE b.node = append.node AND b.number <= append.batch - 64;
            RETURN QUERY SELECT v_base, v_counts;
        END $$;

        """
}
