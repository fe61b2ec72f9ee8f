extension PostgresFunctions {
    /// Retention, the words of ended runs, and all other writes.
    ///
    /// - `enter`: takes the lock and checks the fence; every other function calls it first.
    /// - `sweep`: deletes the changes and output of hidden runs, a limited number of rows at a time; returns false when
    ///   none are left.
    /// - `sweep_store`: deletes the oldest changes of a store that exceeds a limit; returns false if none does.
    /// - `add_words`: stores the words of ended runs, unless they have changed since the words were read.
    static let others = """
        CREATE FUNCTION weir.enter(fence bigint) RETURNS void LANGUAGE plpgsql AS $$
        BEGIN
            PERFORM pg_advisory_xact_lock(\(PostgresSchema.lock));
            IF (SELECT j.fence FROM weir.journal j) <> enter.fence THEN
                RAISE EXCEPTION 'another server records here' USING ERRCODE = 'WR001';
            END IF;
        END $$;

        CREATE FUNCTION weir.sweep(fence bigint, rows bigint) RETURNS boolean LANGUAGE plpgsql AS $$
        #variable_conflict use_column
        DECLARE v_left bigint := sweep.rows; v_stream bigint; v_count bigint; v_any boolean := false;
        BEGIN
            PERFORM weir.enter(fence);
            WHILE v_left > 0 LOOP
                SELECT l.stream INTO v_stream FROM weir.leaving l ORDER BY l.stream LIMIT 1;
                IF NOT FOUND THEN RETURN v_any; END IF;
                v_any := true;
                DELETE FROM weir.changes c WHERE c.sequence IN (
                    SELECT d.sequence FROM weir.changes d WHERE d.stream = v_stream ORDER BY d.sequence LIMIT v_left);
                GET DIAGNOSTICS v_count = ROW_COUNT;
                v_left := v_left - v_count;
                DELETE FROM weir.output o WHERE o.stream = v_stream
                    AND o.number < (SELECT min(p.number) + v_left FROM weir.output p WHERE p.stream = v_stream);
                GET DIAGNOSTICS v_count = ROW_COUNT;
                v_left := v_left - v_count;
                IF v_left > 0 THEN
                    DELETE FROM weir.producers p WHERE p.stream = v_stream;
                    DELETE FROM weir.lines l WHERE l.stream = v_stream;
                    DELETE FROM weir.leaving l WHERE l.stream = v_stream;
                END IF;
            END LOOP;
            RETURN true;
        END $$;

        CREATE FUNCTION weir.sweep_store(fence bigint, kept bigint, rows bigint) RETURNS boolean LANGUAGE plpgsql AS $$
        #variable_conflict use_column
        DECLARE v_stream bigint; v_count bigint; v_floor bigint;
        BEGIN
            PERFORM weir.enter(fence);
            SELECT s.opened, least(s.revision + 1 - s.removed - kept, sweep_store.rows) INTO v_stream, v_count
                FROM weir.stores s WHERE s.revision + 1 - s.removed > kept LIMIT 1;
            IF NOT FOUND THEN RETURN false; END IF;
            SELECT c.sequence INTO STRICT v_floor FROM weir.changes c WHERE c.stream = v_stream
                ORDER BY c.sequence LIMIT 1 OFFSET v_count - 1;
            DELETE FROM weir.changes c WHERE c.stream = v_stream AND c.sequence <= v_floor;
            UPDATE weir.stores s SET removed = s.removed + v_count, floor = v_floor WHERE s.opened = v_stream;
            PERFORM weir.raise_floor(0, v_floor);
            RETURN true;
        END $$;

        CREATE FUNCTION weir.add_words(
            fence bigint, streams bigint[], sequences bigint[], counts bigint[], words text[], lexemes text[])
        RETURNS void LANGUAGE plpgsql AS $$
        #variable_conflict use_column
        DECLARE v_streams bigint[];
        BEGIN
            PERFORM weir.enter(fence);
            WITH added AS (
                INSERT INTO weir.run_text AS x (opened, words, lexemes)
                SELECT r.opened, t.words, array_to_tsvector(string_to_array(t.lexemes, ' '))
                FROM unnest(add_words.streams, sequences, counts, add_words.words, add_words.lexemes)
                    AS t(stream, sequence, count, words, lexemes)
                JOIN weir.runs r ON r.opened = t.stream AND r.sequence = t.sequence AND NOT r.indexed
                LEFT JOIN weir.lines l ON l.stream = r.opened
                WHERE coalesce(l.count, 0) = t.count
                ON CONFLICT (opened) DO UPDATE SET words = excluded.words, lexemes = excluded.lexemes
                RETURNING x.opened)
            UPDATE weir.runs r SET indexed = true FROM added WHERE r.opened = added.opened;
        END $$;

        CREATE FUNCTION weir.set_note(fence bigint, name bytea, text bytea) RETURNS void LANGUAGE plpgsql AS $$
        #variable_conflict use_column
        BEGIN
            PERFORM weir.enter(fence);
            DELETE FROM weir.notes n WHERE n.name = set_note.name;
            IF set_note.text IS NOT NULL THEN
                INSERT INTO weir.notes (name, text) VALUES (set_note.name, set_note.text);
            END IF;
        END $$;

        CREATE FUNCTION weir.commit_import(fence bigint) RETURNS void LANGUAGE plpgsql AS $$
        BEGIN
            PERFORM weir.enter(fence);
            DELETE FROM weir.importing;
        END $$;

        CREATE FUNCTION weir.dismiss(fence bigint, id text) RETURNS bigint LANGUAGE plpgsql AS $$
        #variable_conflict use_column
        DECLARE v_count bigint;
        BEGIN
            PERFORM weir.enter(fence);
            DELETE FROM weir.notices n WHERE n.id = dismiss.id;
            GET DIAGNOSTICS v_count = ROW_COUNT;
            RETURN v_count;
        END $$;
        """
}

extension PostgresFunctions {
    /// The assignment of runs to servers.
    ///
    /// - `assign`: assigns a run to a server, or requests its executor to stop.
    /// - `release`: revokes assignments. Because it takes the lock, later appends by the former executors are
    ///   refused.
    /// - `carries_out`: whether all these runs are assigned to a process.
    static let assignments = """
        CREATE SEQUENCE weir.assignment_places;
        CREATE TABLE weir.assignments (
            run bytea PRIMARY KEY, worker bigint NOT NULL, cause bytea,
            place bigint NOT NULL DEFAULT nextval('weir.assignment_places')) WITH (fillfactor = 50);
        CREATE INDEX assignments_of_worker ON weir.assignments (worker, place);

        CREATE FUNCTION weir.carries_out(worker bigint, runs bytea[]) RETURNS boolean LANGUAGE sql AS $$
            SELECT NOT EXISTS (SELECT FROM unnest($2) AS r(id) WHERE NOT EXISTS (
                SELECT FROM weir.assignments a WHERE a.run = r.id AND a.worker = $1))
        $$;

        CREATE FUNCTION weir.assign(fence bigint, run bytea, worker bigint, cause bytea)
        RETURNS void LANGUAGE plpgsql AS $$
        #variable_conflict use_column
        BEGIN
            PERFORM weir.enter(assign.fence);
            INSERT INTO weir.assignments AS a (run, worker, cause) VALUES (assign.run, assign.worker, assign.cause)
                ON CONFLICT (run) DO UPDATE
                SET cause = coalesce(a.cause, excluded.cause), place = nextval('weir.assignment_places');
        END $$;

        CREATE FUNCTION weir.release(fence bigint, runs bytea[]) RETURNS void LANGUAGE plpgsql AS $$
        #variable_conflict use_column
        BEGIN
            PERFORM weir.enter(release.fence);
            DELETE FROM weir.assignments a WHERE a.run = ANY (release.runs);
        END $$;

        """
}
