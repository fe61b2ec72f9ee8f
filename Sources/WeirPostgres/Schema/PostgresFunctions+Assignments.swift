extension PostgresFunctions {
    /// Which server carries out which run.
    ///
    /// - `assign`: lets a server carry out a run, or asks the one that does to stop.
    /// - `release`: takes runs away from those who carried them out. As it takes the lock, what these append afterwards is refused.
    /// - `carries_out`: whether all these runs are a server's.
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
