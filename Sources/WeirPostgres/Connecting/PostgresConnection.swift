import CPostgreSQL
import Foundation

/// A connection to the database, with typed prepared statements and binary results.
///
/// Only one thread at a time may use it. A call blocks that thread until the database answers or the timeout expires;
/// the connection then counts as lost, because an unreachable machine or a stopped process never answers.
final class PostgresConnection {
    private let timeout: AnswerTimeout
    /// How much longer than the timeout an answer can take, such as that of a migration.
    var patience = Duration.zero
    // Unsafe memory: libpq's connection is released with this object and does not leave it.
    private let connection: OpaquePointer
    private var prepared: [String: String] = [:]

    /// Connects; throws `PostgresFailure`.
    init(_ address: PostgresAddress, timeout: AnswerTimeout) throws(PostgresFailure) {
        self.timeout = timeout
        let options = PostgresAddress.defaults + [("dbname", address.url)]
        let copies = options.map { (strdup($0.0), strdup($0.1)) }
        defer {
            for (keyword, value) in copies {
                free(keyword)
                free(value)
            }
        }
        let keywords = copies.map { UnsafePointer($0.0) } + [nil]
        let values = copies.map { UnsafePointer($0.1) } + [nil]
        guard let connection = PQconnectdbParams(keywords, values, 1) else {
            throw PostgresFailure("53200", "no memory for a connection")
        }
        self.connection = connection
        cpostgresql_silence(connection)
        guard PQstatus(connection) == CONNECTION_OK, PQsetnonblocking(connection, 1) == 0 else {
            let words = words
            // For a refused connection libpq reports no code, only the server's message.
            throw PostgresFailure(Self.state(ofRefusal: words), words)
        }
    }

    deinit { PQfinish(connection) }

    // MARK: Statements

    /// Runs a statement and passes its rows to `body`, in order.
    func rows(
        _ sql: String, _ values: [any PostgresValue] = [], body: (PostgresRow) throws -> Void
    ) throws {
        let result = try run(sql, values)
        defer { PQclear(result) }
        for index in 0..<PQntuples(result) { try body(PostgresRow(result: result, index: index)) }
    }

    func all<Result>(
        _ sql: String, _ values: [any PostgresValue] = [], read: (PostgresRow) throws -> Result
    ) throws -> [Result] {
        var results: [Result] = []
        try rows(sql, values) { results.append(try read($0)) }
        return results
    }

    /// The result of `read` for the first row, or nil.
    func first<Result>(
        _ sql: String, _ values: [any PostgresValue] = [], read: (PostgresRow) throws -> Result
    ) throws -> Result? {
        let result = try run(sql, values)
        defer { PQclear(result) }
        return PQntuples(result) > 0 ? try read(PostgresRow(result: result, index: 0)) : nil
    }

    /// Runs one or more statements without parameters, separated by semicolons, and discards their rows.
    func execute(_ script: String) throws(PostgresFailure) {
        guard PQsendQuery(connection, script) == 1 else { throw failure() }
        PQclear(try result())
    }

    /// Runs statements in a read-only transaction with one snapshot.
    func snapshot<Result>(_ body: () throws -> Result) throws -> Result {
        try transaction("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", body)
    }

    func transaction<Result>(_ begin: String = "BEGIN", _ body: () throws -> Result) throws -> Result {
        try execute(begin)
        do {
            let result = try body()
            try execute("COMMIT")
            return result
        } catch {
            // If this fails, the connection is lost, and the transaction with it.
            if !isLost { do { try execute("ROLLBACK") } catch { _ = error } }
            throw error
        }
    }

    /// Waits for a notification on a channel that the connection listens to; returns false on a timeout or
    /// interruption.
    ///
    /// All pending notifications are consumed together.
    func hasNotice(within time: Duration, until interruption: Interruption) throws(PostgresFailure) -> Bool {
        if try takeNotices() { return true }
        var places = [PQsocket(connection), interruption.descriptor].map {
            pollfd(fd: $0, events: Int16(clamping: POLLIN), revents: 0)
        }
        let milliseconds = time.components.seconds * 1_000 + time.components.attoseconds / 1_000_000_000_000_000
        guard poll(&places, 2, Int32(clamping: milliseconds + 1)) > 0 else { return false }
        return try takeNotices()
    }

    private func takeNotices() throws(PostgresFailure) -> Bool {
        guard PQconsumeInput(connection) == 1 else { throw failure() }
        var hasCome = false
        while let notice = PQnotifies(connection) {
            hasCome = true
            PQfreemem(notice)
        }
        return hasCome
    }

    var isLost: Bool { PQstatus(connection) != CONNECTION_OK || hasTimedOut }

    private var hasTimedOut = false

    // MARK: libpq

    private func run(_ sql: String, _ values: [any PostgresValue]) throws(PostgresFailure) -> OpaquePointer {
        let name = try prepare(sql, values)
        var bytes: [UInt8] = []
        var ranges: [Range<Int>?] = []
        for value in values {
            guard let content = value.bytes else {
                ranges.append(nil)
                continue
            }
            ranges.append(bytes.count..<bytes.count + content.count)
            bytes.append(contentsOf: content)
        }
        bytes.append(0)
        let count = Int32(clamping: values.count)
        let isSent = bytes.withUnsafeBytes { buffer in
            let start = buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
            let pointers = ranges.map { range in range.flatMap { start?.advanced(by: $0.lowerBound) } }
            let lengths = ranges.map { Int32(clamping: $0?.count ?? 0) }
            let formats = values.map { _ -> Int32 in 1 }
            return PQsendQueryPrepared(connection, name, count, pointers, lengths, formats, 1) == 1
        }
        guard isSent else { throw failure() }
        return try result()
    }

    /// The name of a statement, which is prepared on first use.
    private func prepare(_ sql: String, _ values: [any PostgresValue]) throws(PostgresFailure) -> String {
        if let name = prepared[sql] { return name }
        let name = "weir\(prepared.count)"
        let types = values.map { type(of: $0).type }
        guard PQsendPrepare(connection, name, sql, Int32(clamping: types.count), types) == 1 else { throw failure() }
        PQclear(try result())
        prepared[sql] = name
        return name
    }

    /// The last result of a request; throws if it is an error.
    private func result() throws(PostgresFailure) -> OpaquePointer {
        let sent = ContinuousClock.now
        while case let rest = PQflush(connection), rest != 0 {
            guard rest == 1 else { throw failure() }
            try wait(for: Int16(clamping: POLLIN | POLLOUT), since: sent)
            guard PQconsumeInput(connection) == 1 else { throw failure() }
        }
        var last: OpaquePointer?
        while true {
            while PQisBusy(connection) == 1 {
                try wait(for: Int16(clamping: POLLIN), since: sent)
                guard PQconsumeInput(connection) == 1 else {
                    PQclear(last)
                    throw failure()
                }
            }
            guard let next = PQgetResult(connection) else { break }
            if let last, isError(last) {
                PQclear(next)
            } else {
                PQclear(last)
                last = next
            }
        }
        guard let last else { throw failure() }
        guard isError(last) else { return last }
        defer { PQclear(last) }
        throw failure(of: last)
    }

    private func isError(_ result: OpaquePointer) -> Bool {
        let status = PQresultStatus(result)
        return status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK
    }

    /// Blocks until the connection is ready for the given events, or the timeout expires.
    private func wait(for events: Int16, since sent: ContinuousClock.Instant) throws(PostgresFailure) {
        while ContinuousClock.now < timeout.deadline(of: sent) + patience {
            var place = pollfd(fd: PQsocket(connection), events: events, revents: 0)
            // In intervals of a quarter of a second, because the deadline can move closer.
            let ready = poll(&place, 1, 250)
            if ready > 0 { return }
            if ready < 0, errno != EINTR { break }
        }
        hasTimedOut = true
        throw .lost("no answer within \(sent.duration(to: .now))")
    }

    // MARK: Errors

    private func failure() -> PostgresFailure {
        isLost ? .lost(words) : PostgresFailure("XX000", words)
    }

    private func failure(of result: OpaquePointer) -> PostgresFailure {
        func field(_ code: Character) -> String? {
            code.asciiValue.flatMap { PQresultErrorField(result, Int32($0)) }.map { String(cString: $0) }
        }
        guard let state = field("C") else { return failure() }
        // Only the first line of PostgreSQL's message: the others can contain a statement.
        return PostgresFailure(state, Self.firstLine(field("M") ?? ""), detail: field("D") ?? "")
    }

    private var words: String { Self.firstLine(PQerrorMessage(connection).map { String(cString: $0) } ?? "") }

    private static func firstLine(_ text: String) -> String {
        text.split(separator: "\n").first.map(String.init) ?? "no words"
    }

    private static func state(ofRefusal words: String) -> String {
        let known = [
            ("password authentication failed", "28P01"), ("no password supplied", "28P01"), ("pg_hba.conf", "28000"),
            ("role ", "28000"), ("database \"", "3D000"), ("too many clients", "53300"),
            ("remaining connection slots", "53300"), ("starting up", "57P03"), ("shutting down", "57P03"),
            ("certificate", PostgresState.insecure), ("SSL", PostgresState.insecure),
            ("sslmode", PostgresState.insecure), ("ssl_m", PostgresState.insecure), ("session is read-only", "25006"),
            ("invalid ", PostgresState.malformed), ("definition of service", PostgresState.malformed),
        ]
        // With several addresses, the first line also contains the last error.
        return known.first { words.contains($0.0) }?.1 ?? "08001"
    }
}
