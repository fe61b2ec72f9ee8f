/// The tables beside the journal: users, tokens, links, sessions and saved views.
///
/// - `access`: one row. `number` is the number of the newest write; `call` identifies the call that made it, so that
///   a call that is repeated after a lost connection is applied once.
/// - `access_records`: JSON records by kind and id, each with the number of the write that last changed it. A removed
///   record keeps its row for a while, without JSON, so that other servers detect the removal.
///
/// Every server writes, including following ones. Each write names the newest number that its server has read, and is
/// refused if there is a newer one: the server then reads the changes and decides again. It is a single function
/// call, so that a server that stalls holds no row lock.
enum PostgresRecordTables {
    /// The number of writes for which the row of a removed record is kept.
    static let memory: Int64 = 10_000

    static let script = """
        CREATE TABLE weir.access (
            "only" boolean PRIMARY KEY DEFAULT true CHECK ("only"), number bigint NOT NULL DEFAULT 0,
            call text COLLATE "C" NOT NULL DEFAULT '') WITH (fillfactor = 10);
        INSERT INTO weir.access DEFAULT VALUES;
        CREATE TABLE weir.access_records (
            kind text COLLATE "C" NOT NULL, id bytea NOT NULL, json bytea, number bigint NOT NULL,
            PRIMARY KEY (kind, id)) WITH (fillfactor = 70);
        CREATE INDEX access_records_by_number ON weir.access_records (number);
        CREATE INDEX access_records_removed ON weir.access_records (number) WHERE json IS NULL;
        CREATE FUNCTION weir.write_access(
            known bigint, call text, r_kind text[], r_id bytea[], r_json bytea[], r_update boolean[])
        RETURNS bigint LANGUAGE plpgsql AS $$
        #variable_conflict use_column
        DECLARE v_number bigint; v_call text; v_row record;
        BEGIN
            SELECT a.number, a.call INTO STRICT v_number, v_call FROM weir.access a FOR UPDATE;
            IF v_call = write_access.call THEN RETURN v_number; END IF;
            IF v_number <> known THEN RETURN NULL; END IF;
            v_number := v_number + 1;
            UPDATE weir.access a SET number = v_number, call = write_access.call;
            FOR v_row IN SELECT r.kind, r.id, r.json, r.is_update
                FROM unnest(r_kind, r_id, r_json, r_update) WITH ORDINALITY AS r(kind, id, json, is_update, place)
                ORDER BY r.place
            LOOP
                IF v_row.is_update OR v_row.json IS NULL THEN
                    UPDATE weir.access_records r SET json = v_row.json, number = v_number
                        WHERE r.kind = v_row.kind AND r.id = v_row.id AND r.json IS NOT NULL;
                ELSE
                    INSERT INTO weir.access_records (kind, id, json, number)
                        VALUES (v_row.kind, v_row.id, v_row.json, v_number)
                        ON CONFLICT (kind, id) DO UPDATE SET json = excluded.json, number = excluded.number;
                END IF;
            END LOOP;
            DELETE FROM weir.access_records r WHERE r.json IS NULL AND r.number < v_number - \(2 * memory);
            RETURN v_number;
        END $$
        """
}
