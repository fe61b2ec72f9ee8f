import NIOHTTP1
import WeirStates

/// Reads the lines of a run's output until it ends, and the lines that have not ended; across reconnections.
struct OutputFollower: Sendable {
    /// The time that the server holds a request without news, in seconds.
    private static let wait = 10

    struct News: Sendable {
        /// The recorded lines, as the API has them.
        let lines: [JSONValue]
        /// The texts behind the last line that are not recorded.
        let unfinished: [String]
    }

    private let client: ServerClient
    private let run: String
    private var after: Int64 = 0
    private var revision: Int64 = 0
    private var isOver = false
    private var connection: Reconnection

    init(
        _ client: ServerClient, run: String, clock: any Clock<Duration> = ContinuousClock(),
        complain: @escaping @Sendable (String) -> Void
    ) {
        self.client = client
        self.run = run
        connection = Reconnection(to: client.address, clock: clock, complain: complain)
    }

    /// Returns the next lines, possibly none, or nil at the end.
    ///
    /// Suspends until there is news. Retries after the loss of a connection, but not the first request.
    /// - Throws: `ClientError` if the server rejects the request, is unreachable at first, or stays unreachable.
    mutating func next() async throws(ClientError) -> News? {
        if isOver { return nil }
        while true {
            do throws(ClientError) {
                let news = try await read()
                connection.succeeded()
                return news
            } catch {
                try await connection.pause(after: error)
            }
        }
    }

    private mutating func read() async throws(ClientError) -> News {
        let answer = try await client.answer(
            .GET, ["runs", run, "output"],
            query: [("after", "\(after)"), ("wait", "\(Self.wait)"), ("unfinished", "\(revision)")])
        guard answer.isSuccess else { throw ClientError(answer, from: client.address) }
        guard let body = answer.body, let lines = body["lines"]?.array, let next = body["next"]?.integer else {
            throw ClientError(.foreign, "What answers at \(client.address) is not a Weir server. Check the address.")
        }
        if let count = body["count"]?.integer, count < after {
            throw ClientError(
                .missing, "The server has fewer lines than before: it has another history. Look at the run anew.")
        }
        after = next
        revision = body["unfinished"]?["revision"]?.integer ?? 0
        isOver = body["ended"]?.bool == true && body["more"]?.bool != true
        return News(
            lines: lines, unfinished: (body["unfinished"]?["lines"]?.array ?? []).compactMap { $0["text"]?.string })
    }
}

/// The unfinished lines at the end of a terminal, as one line that is drawn again after each change.
///
/// Pure.
struct UnfinishedView: Sendable {
    private let columns: Int
    private var drawn = ""

    init(columns: Int) { self.columns = columns }

    /// Erases the line before others are printed.
    mutating func erase() -> String {
        defer { drawn = "" }
        return drawn.isEmpty ? "" : "\r\u{1b}[K"
    }

    /// Draws the texts, cut to the width of the terminal.
    mutating func draw(_ texts: [String]) -> String {
        let line = VisibleText.cut(texts.map(VisibleText.line).joined(separator: " "), to: columns - 1)
        guard line != drawn else { return "" }
        let start = erase()
        drawn = line
        return start + line
    }
}
