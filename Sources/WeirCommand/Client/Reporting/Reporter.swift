import Foundation
import NIOHTTP1
import WeirStates

/// Sends a spool to its server, request by request, each until it is answered.
///
/// Every message arrives once: requests are numbered, and how far they have come is written down before each
/// (``SpoolPlace``). If the server ends the run meanwhile because it heard nothing for too long, the rest goes to a run
/// that continues it.
package struct Reporter: Sendable {
    /// How sending ended.
    package enum End: Sendable, Hashable {
        /// All has arrived, and the run has ended.
        case delivered
        /// Somebody cancelled the run at the server.
        case cancelled
        /// All there is has arrived, but not how the run ended, since nobody knows.
        case unfinished
        /// It was given up; what is left stays in the spool.
        case left
        /// The server does not take it.
        case refused(ClientError)
    }

    /// How long the server is asked to wait for a sign of life before it gives the run up.
    private let lease: Duration
    private let client: ServerClient
    private let spool: Spool
    private let clock: any Clock<Duration>
    private let complain: @Sendable (String) -> Void

    package init(
        _ client: ServerClient, spool: Spool, lease: Duration, clock: any Clock<Duration> = ContinuousClock(),
        complain: @escaping @Sendable (String) -> Void
    ) {
        self.client = client
        self.spool = spool
        self.lease = lease
        self.clock = clock
        self.complain = complain
    }

    /// How often a sign of life is sent while there is nothing else to send.
    package static func beat(for lease: Duration) -> Duration { max(.milliseconds(200), min(lease / 3, .seconds(10))) }

    /// Sends what there is, and, as long as signals come, what comes.
    ///
    /// - Parameter signals: One for news, and one now and then as a beat; when they end, so does the waiting for more.
    /// - Returns: How it ended; ``End/left`` when the task was cancelled.
    package func run(_ signals: AsyncStream<ReportSignal>) async -> End {
        var sender = Sender(reporter: self, place: spool.place)
        if let end = await sender.settle(beats: true) { return end }
        for await signal in signals {
            if let end = await sender.settle(beats: signal == .beat) { return end }
        }
        if let end = await sender.settle(beats: false) { return end }
        return Task.isCancelled ? .left : .unfinished
    }

    /// Sends what there is.
    package func once() async -> End {
        await run(AsyncStream { $0.finish() })
    }

    /// The moving parts of sending.
    private struct Sender {
        let reporter: Reporter
        var place: SpoolPlace
        var backoff = Backoff()
        var generator = SystemRandomNumberGenerator()
        var isAway = false

        /// Sends all there is; a beat if there is nothing.
        ///
        /// Nil when more may come.
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
            let (answer, reply) = try await ask(.PUT, .object(opening))
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
            let (answer, reply) = try await ask(.POST, .array(batch.messages), headers)
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

        private mutating func beat() async throws(ClientError) -> End? {
            let (answer, reply) = try await ask(.POST, ["beat": true])
            switch reply {
            case .taken: return nil
            case .ended: return try await ended()
            case .refused, .later: throw ClientError(answer, from: reporter.client.address)
            }
        }

        /// The server has ended the run: because somebody cancelled it, or because it heard nothing.
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
                // The state in which the server ended it is not one of ours.
                recorded = max(0, revision - 1).addingReportingOverflow(lines).partialValue
            }
            place.continued(recorded: recorded)
            try reporter.spool.write(place)
            reporter.complain(
                "The server ended the run \(run), since it heard nothing of it for long. It goes on in another.")
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
            if isAway { reporter.complain("Connected again.") }
            isAway = false
            return (answer, reply)
        }
    }
}

/// Why a reporter looks at its spool.
package enum ReportSignal: Sendable, Hashable {
    /// There may be something new.
    case news
    /// It is time for a sign of life.
    case beat
}
