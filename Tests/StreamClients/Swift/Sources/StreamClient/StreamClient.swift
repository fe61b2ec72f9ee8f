import DurableStreams
import Foundation

/// Follows or reports with the Swift client of the protocol's repository, as a program would.
///
/// `StreamClient follow URL long-poll|sse` prints what comes, until the run that is followed has ended;
/// `StreamClient report URL COUNT` reports a run of so many steps.
@main
struct StreamClient {
    /// As much of a change as is looked at here.
    struct Change: Codable, Sendable {
        let sequence: Int
        let operation: String?
        let phase: String?
    }

    /// How a step is reported.
    struct Step: Encodable {
        let state = "stepping"
        let completed: Int
        let total: Int
    }

    /// What is printed, one in a line.
    enum Event {
        case messages([Change], Offset)
        case failure(any Error)
        case gone, closed

        func tell() throws {
            let text =
                switch self {
                case .messages(let list, let offset):
                    #"{"messages":\#(String(decoding: try JSONEncoder().encode(list), as: UTF8.self)),"#
                        + #""offset":"\#(offset)"}"#
                case .failure(let error):
                    #"{"failure":\#(String(decoding: try JSONEncoder().encode("\(error)"), as: UTF8.self))}"#
                case .gone: #"{"gone":true}"#
                case .closed: #"{"closed":true}"#
                }
            FileHandle.standardOutput.write(Data((text + "\n").utf8))
        }
    }

    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count == 3, let url = URL(string: Array(arguments)[1]), let last = arguments.last else {
            throw Failure(description: "usage: StreamClient follow URL long-poll|sse, or StreamClient report URL COUNT")
        }
        switch (arguments.first, Int(last)) {
        case ("follow", nil): try await follow(url, live: last)
        case ("report", let count?): try await report(url, count: count)
        default: throw Failure(description: "Say “follow” or “report”.")
        }
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// A pause after a failure, so that a server that is down is not asked without end.
    private static func pause() async throws { try await Task.sleep(for: .milliseconds(50)) }

    // MARK: Following

    private static func follow(_ url: URL, live: String) async throws {
        var offset = Offset.start
        while true {
            do {
                let stream = try await DurableStream.connect(url: url)
                let batches = live == "sse" ? events(of: stream, from: offset) : polls(of: stream, from: offset)
                for try await (changes, next) in batches {
                    offset = next
                    try Event.messages(changes, offset).tell()
                    // The client itself does not end with the stream.
                    if url.lastPathComponent.hasPrefix("run-"), changes.last?.phase == "succeeded" {
                        return try Event.closed.tell()
                    }
                }
            } catch let error as DurableStreamError where error.status == 410 {
                try Event.gone.tell()
                offset = .start
            } catch {
                try Event.failure(error).tell()
                try await pause()
            }
        }
    }

    private typealias Batches = AsyncThrowingStream<([Change], Offset), any Error>

    private static func polls(of stream: DurableStream, from offset: Offset) -> Batches {
        Batches { continuation in
            let task = Task {
                do {
                    for try await batch in await stream.jsonBatches(as: Change.self, from: offset) {
                        continuation.yield((batch.items, batch.offset))
                    }
                    continuation.finish()
                } catch { continuation.finish(throwing: error) }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    /// The client passes events on as they come: what a batch has, and then the place behind it.
    private static func events(of stream: DurableStream, from offset: Offset) -> Batches {
        struct Control: Decodable {
            let streamNextOffset: String
        }
        return Batches { continuation in
            let task = Task {
                do {
                    var changes: [Change] = []
                    for try await event in await stream.sseEvents(from: offset) {
                        let data = Data(event.data.utf8)
                        switch event.effectiveEvent {
                        case "data": changes += try JSONDecoder().decode([Change].self, from: data)
                        case "control":
                            let control = try JSONDecoder().decode(Control.self, from: data)
                            continuation.yield((changes, Offset(rawValue: control.streamNextOffset)))
                            changes = []
                        default: break
                        }
                    }
                    continuation.finish()
                } catch { continuation.finish(throwing: error) }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    // MARK: Reporting

    private static func report(_ url: URL, count: Int) async throws {
        let opening = Data(#"{"title":"From Swift"}"#.utf8)
        let run = try await untilAnswered {
            do {
                return try await DurableStream.create(url: url, data: opening)
            } catch let error as DurableStreamError where error.status == 200 {
                // The client takes it for a mistake that the run was opened before.
                return try await DurableStream.connect(url: url)
            }
        }
        for number in 0..<count {
            let step = try JSONEncoder().encode(Step(completed: number, total: count))
            _ = try await untilAnswered {
                try await run.appendWithProducer(
                    step, producerId: "swift", epoch: 0, seq: number, contentType: "application/json")
            }
        }
        _ = try await untilAnswered { try await run.close() }
    }

    private static func untilAnswered<Answer>(_ act: () async throws -> Answer) async throws -> Answer {
        while true {
            do {
                return try await act()
            } catch let error as DurableStreamError where (400..<500).contains(error.status ?? 0) {
                throw error
            } catch {
                try Event.failure(error).tell()
                try await pause()
            }
        }
    }
}
