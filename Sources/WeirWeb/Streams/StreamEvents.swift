import HTTPTypes
import Hummingbird
import NIOCore
import ServiceLifecycle
import WeirBoards
import WeirJournals

/// A stream as server-sent events (section 5.8 of the protocol): what follows a place, and what comes for a minute.
///
/// Each `data` event is a JSON array of messages, in one line; each is followed by a `control` event with the place behind it.
/// While nothing comes, a comment is sent now and then, which shows whether the client is there. One that takes nothing of
/// what is written is ended by its connection's stall limit; the client goes on from the last place it was told.
struct StreamEvents {
    /// How long a connection is used, in milliseconds.
    static let lifetime: Int64 = 60_000
    /// How often something is sent at least, in milliseconds.
    static let pulse: Int64 = 14_000

    let dashboard: AudienceDashboard
    let request: StreamRequest
    let from: SequenceNumber
    /// Looked at again before each piece.
    let right: HeldRight?

    private var answers: StreamAnswers { dashboard.streamResponder.answers }

    func response() -> Response {
        let fields: HTTPFields = [
            .contentType: "text/event-stream", .cacheControl: "no-cache", .accelBuffering: "no",
        ]
        return Response(
            status: .ok, headers: fields,
            body: ResponseBody { writer in
                let memory = dashboard.answers
                do {
                    try await write { event in
                        try right?.check()
                        // Where too much waits for its readers, the connection ends, and the client goes on from its last place.
                        let share = memory.share()
                        guard share.grow(by: event.readableBytes) else { throw ChannelError.outputClosed }
                        defer { withExtendedLifetime(share) {} }
                        try await writer.write(event)
                    }
                } catch is HeldRight.Lost {
                    // It ends in order, as when it was interrupted for that: the next request hears that the right is gone.
                }
                try await writer.finish(nil)
            })
    }

    /// Writes events until the stream ends or a minute is over.
    func write(_ send: (ByteBuffer) async throws -> Void) async throws {
        let watch = dashboard.board.watch(request.name.topic)
        defer { watch.release() }
        let end = dashboard.clock.uptime + Self.lifetime
        var (place, cursor) = (from, request.cursor)
        var isTold = false
        while true {
            var isClosed = false
            while let chunk = try await chunk(after: place) {
                place = chunk.to
                isClosed = chunk.isClosed
                cursor = answers.cursor(following: cursor)
                var event = Self.data(chunk)
                event.writeImmutableBuffer(control(at: place, cursor, isUpToDate: !chunk.more, isClosed))
                try await send(event)
                isTold = true
                if isClosed { return }
            }
            isClosed = try await status().isClosed
            if isClosed || !isTold {
                cursor = answers.cursor(following: cursor)
                try await send(control(at: place, cursor, isUpToDate: true, isClosed))
                isTold = true
            }
            let rest = end - dashboard.clock.uptime
            if isClosed || rest <= 0 { return }
            let outcome = await dashboard.pollResponder.wait(
                for: request.name.topic, after: place, atMost: min(rest, Self.pulse))
            switch outcome {
            case .published, .ended: break
            case .expired: try await send(ByteBuffer(string: ":\n\n"))
            // The server shuts down, or others need the connection.
            case .drained, .interrupted: return
            }
        }
    }

    private func chunk(after place: SequenceNumber) async throws -> StreamChunk? {
        let streams = Streams(dashboard: dashboard)
        if let chunk = answers.chunk(of: request.name, after: place) { return chunk }
        guard try await status().head > place else { return nil }
        // Where part of it is gone, the connection ends, and the next request hears why.
        guard let chunk = try await streams.chunk(of: request.name, after: place) else {
            throw ChannelError.outputClosed
        }
        return chunk.to > place ? chunk : nil
    }

    private func status() async throws -> StreamStatus {
        if let status = dashboard.streamResponder.status(of: request.name) { return status }
        return try await Streams(dashboard: dashboard).status(of: request.name)
    }

    private static func data(_ chunk: StreamChunk) -> ByteBuffer {
        var event = ByteBuffer()
        // With room for the place behind it.
        event.reserveCapacity(chunk.body.readableBytes + 512)
        event.writeString("event: data\ndata: ")
        event.writeImmutableBuffer(chunk.body)
        event.writeString("\n\n")
        return event
    }

    private func control(
        at place: SequenceNumber, _ cursor: StreamCursor?, isUpToDate: Bool, _ isClosed: Bool
    ) -> ByteBuffer {
        var event = ByteBuffer(
            string: "event: control\ndata: {\"streamNextOffset\":\"\(answers.offset(place, of: request.name))\"")
        if isClosed {
            event.writeString(",\"streamClosed\":true")
        } else if let cursor {
            event.writeString(",\"streamCursor\":\"\(cursor)\"")
        }
        if isUpToDate { event.writeString(",\"upToDate\":true") }
        event.writeString("}\n\n")
        return event
    }
}
