import Foundation
import NIOHTTP1
import WeirStates

/// Sends a spool to its server, one request at a time, each until it is answered.
///
/// Delivers every message exactly once: requests are numbered, and ``SpoolPlace`` is persisted before each. If the server ends
/// the run because its lease has expired, a second run continues it.
struct Reporter: Sendable {
    enum End: Sendable, Hashable {
        /// Everything has been delivered, and the run has ended.
        case delivered
        case cancelled
        /// All existing messages have been delivered, but they do not end the run, as its outcome is unknown.
        case unfinished
        /// Sending was cancelled. The remaining messages stay in the spool.
        case left
        /// The server rejects the report.
        case refused(ClientError)
    }

    /// How long the server waits for a message before it ends the run.
    private let lease: Duration
    private let client: ServerClient
    private let spool: Spool
    private let clock: any Clock<Duration>
    private let complain: @Sendable (String) -> Void

    /// How many attempts in a row ``once()`` makes, as `weir start` does.
    private static let attempts = 4

    init(
        _ client: ServerClient, spool: Spool, lease: Duration, clock: any Clock<Duration> = ContinuousClock(),
        complain: @escaping @Sendable (String) -> Void
    ) {
        self.client = client
        self.spool = spool
        self.lease = lease
        self.clock = clock
        self.complain = complain
    }

    static func beat(for lease: Duration) -> Duration { max(.milliseconds(200), min(lease / 3, .seconds(10))) }

    /// Sends the spool, and its new messages at each signal.
    ///
    /// - Parameters:
    ///   - signals: `news` after an append, and `beat` at intervals. Their end is the end of the report.
    ///   - attempts: How many attempts in a row may fail while the server is away; nil waits for the server.
    /// - Returns: The result, which is ``End/left`` if the task was cancelled, or the attempts have failed.
    func run(_ signals: AsyncStream<ReportSignal>, attempts: Int? = nil) async -> End {
        var sender = Sender(reporter: self, place: spool.place, attempts: attempts)
        if let end = await sender.settle(beats: true) { return end }
        for await signal in signals {
            if let end = await sender.settle(beats: signal == .beat) { return end }
        }
        if let end = await sender.settle(beats: false) { return end }
        return Task.isCancelled ? .left : .unfinished
    }

    /// Sends the messages that exist, and gives up soon if the server stays away.
    func once() async -> End {
        await run(AsyncStream { $0.finish() }, attempts: Self.attempts)
    }

    private struct Sender {
        let reporter: Reporter
        var place: SpoolPlace
        let attempts: Int?
        var failures = 0
        var backoff = Backoff()
        var generator = SystemRandomNumberGenerator()
        var isAway = false

        /// Sends all messages, or a heartbeat if there are none; nil if more can follow.
        mutating func settle(beats: Bool) async -> End? {
            var mustBeat = beats
            while !Task.isCancelled {
                do throws(ClientError) {
                    if place.isExhausted {
                        throw ClientError(.refused, "The server ends every run that continues this one.")
                    }
                    if !place.isOpen {
                        try await open()
                    } else if let batch = try next() {
                        if let end = try await send(batch) { return end }
                    } else if mustBeat {
                        if let end = try await beat() { return end }
                        mustBeat = false
                    } else {
                        return nil
                    }
                } catch {
                    guard error.isTemporary else { return .refused(error) }
                    if !isAway, !Task.isCancelled {
                        reporter.complain(
                            "\(error.cause) The report is kept in \(reporter.spool.url.path) and sent later.")
                    }
                    isAway = true
                    failures = min(failures, .max - 1) + 1
                    if let attempts, failures >= attempts { return .left }
                    let pause = backoff.next(asked: error.retryAfter, using: &generator)
                    do { try await reporter.clock.sleep(for: pause) } catch { return .left }
                }
            }
            return .left
        }

        private func next() throws(ClientError) -> Spool.Batch? {
            do { return try reporter.spool.batch(at: place) } catch {
                throw ClientError(.file, "The report in \(reporter.spool.url.path) cannot be read.")
            }
        }

        private mutating func open() async throws(ClientError) {
            let header = reporter.spool.header
            var input = header.input.object ?? [:]
            if place.part > 1 { input["continues"] = .string(header.run) }
            var opening: [String: JSONValue] = ["input": .object(input)]
            opening["title"] = header.title.map(JSONValue.string)
            if place.refusesTimes != true { opening["happenedAt"] = try next()?.messages.first?["happenedAt"] }
            var (answer, reply) = try await ask(.PUT, .object(opening))
            if reply == .refused, answer.status == 400, opening["happenedAt"] != nil {
                opening["happenedAt"] = nil
                place.refusesTimes = true
                (answer, reply) = try await ask(.PUT, .object(opening))
            }
            switch reply {
            case .taken: place.opened()
            case .ended: place.continued(recorded: nil)
            case .refused, .later: throw ClientError(answer, from: reporter.client.address)
            }
            try reporter.spool.write(place)
        }

        private mutating func send(_ batch: Spool.Batch) async throws(ClientError) -> End? {
            if place.through == nil {
                place.begin(through: batch.end, messages: batch.recorded)
                try reporter.spool.write(place)
            }
            var headers = [
                ("Producer-Id", "weir-run"), ("Producer-Epoch", "0"), ("Producer-Seq", String(place.number)),
            ]
            if batch.isClosing { headers.append(("Stream-Closed", "true")) }
            let (answer, reply) = try await ask(.POST, .array(timed(batch.messages)), headers)
            switch reply {
            case .taken:
                place.taken()
                if batch.isClosing { return .delivered }
                try reporter.spool.shorten(place)
                return nil
            case .ended: return try await ended()
            case .refused, .later: throw ClientError(answer, from: reporter.client.address)
            }
        }

        /// The messages without their times, if the server refuses those.
        private func timed(_ messages: [JSONValue]) -> [JSONValue] {
            guard place.refusesTimes == true else { return messages }
            return messages.map { .object(($0.object ?? [:]).filter { $0.key != "happenedAt" }) }
        }

        private mutating func beat() async throws(ClientError) -> End? {
            let (answer, reply) = try await ask(.POST, ["beat": true])
            switch reply {
            case .taken: return nil
            case .ended: return try await ended()
            case .refused, .later: throw ClientError(answer, from: reporter.client.address)
            }
        }

        /// Handles a run that the server has ended: it was cancelled, or its lease has expired.
        private mutating func ended() async throws(ClientError) -> End? {
            let run = place.run(of: reporter.spool.header)
            let record = try await reporter.client.answer(.GET, ["runs", run])
            if record.body?["phase"]?.string == "cancelled" { return .cancelled }
            let output = try await reporter.client.answer(.GET, ["runs", run, "output"], query: [("limit", "1")])
            if record.status >= 500 || output.status >= 500 {
                throw ClientError(record.isSuccess ? output : record, from: reporter.client.address)
            }
            var recorded: Int64?
            if let revision = record.body?["revision"]?.integer, let lines = output.body?["count"]?.integer {
                // The state with which the server ended the run is not in the spool.
                recorded = max(0, revision - 1).addingReportingOverflow(lines).partialValue
            }
            place.continued(recorded: recorded)
            try reporter.spool.write(place)
            reporter.complain(
                "The server ended the run \(run), because no report arrived in time. The command continues in another run."
            )
            return nil
        }

        private mutating func ask(
            _ method: HTTPMethod, _ content: JSONValue, _ headers: [(String, String)] = []
        ) async throws(ClientError) -> (ServerAnswer, ReportReply) {
            let header = reporter.spool.header
            let run = place.run(of: header)
            let seconds = max(1, reporter.lease.components.seconds)
            let answer = try await reporter.client.answer(
                method, ["streams", "reported", header.operation, run],
                headers: headers + [("Weir-Lease", String(seconds))],
                content: .json(content))
            let reply = ReportReply(
                status: answer.status, isOpening: method == .PUT, isProblem: answer.problem != nil,
                isClosed: answer.header("Stream-Closed") == "true")
            if reply == .later {
                var error = ClientError(answer, from: reporter.client.address)
                error.isTemporary = true
                throw error
            }
            backoff.reset()
            failures = 0
            if isAway { reporter.complain("Connected again.") }
            isAway = false
            return (answer, reply)
        }
    }
}

enum ReportSignal: Sendable, Hashable {
    case news
    /// A heartbeat is due.
    case beat
}

enum ReportReply: Sendable, Hashable {
    /// The server has accepted the request, now or before.
    case taken
    /// The run has ended or is removed. The remaining messages belong in another run.
    case ended
    /// The rejection is permanent.
    case refused
    /// A retry can succeed.
    case later

    /// Classifies a response.
    ///
    /// `isProblem` is false if a proxy answers for an unavailable server.
    init(status: Int, isOpening: Bool, isProblem: Bool, isClosed: Bool) {
        switch status {
        case 200..<300: self = .taken
        case 409 where isOpening || isClosed: self = .ended
        case 410: self = .ended
        case 404 where isProblem && !isOpening: self = .ended
        case 408, 429, 500..<600: self = .later
        case _ where !isProblem && status >= 400: self = .later
        default: self = .refused
        }
    }
}
