import HTTPTypes
import Hummingbird
import NIOCore
import ServiceLifecycle
import WeirBoards
import WeirJournals

/// A stream as server-sent events (section 5.8 of the protocol): the messages after a position, and new ones for a minute.
///
/// Each `data` event is a one-line JSON array of messages, followed by a `control` event with the offset after it. Idle
/// connections get comments, which reveal disconnected clients. A client that stops reading is disconnected by the stall
/// limit and resumes from its last offset.
struct StreamEvents {
    /// The lifetime of a connection, in milliseconds.
    static let lifetime: Int64 = 60_000
    /// The lifetime if each request identifies its principal: that of a held poll, so that both learn of lost rights equally soon.
    static let shortLifetime = PollSlots.length
    /// The maximum time between two writes, in milliseconds.
    static let pulse: Int64 = 14_000

    let dashboard: AudienceDashboard
    let request: StreamRequest
    let from: SequenceNumber
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
                        // If the memory of answers is exhausted, the connection closes, and the client resumes from its last
                        // offset.
                        let share = memory.share()
                        guard share.grow(by: event.readableBytes) else { throw ChannelError.outputClosed }
                        defer { withExtendedLifetime(share) {} }
                        try await writer.write(event)
                    }
                } catch is HeldRight.Lost {
                    // The response ends regularly; the next request gets the refusal.
                }
                try await writer.finish(nil)
            })
    }

    func write(_ send: (ByteBuffer) async throws -> Void) async throws {
        let watch = dashboard.board.watch(request.name.topic)
        defer { watch.release() }
        let lifetime = right?.isOfRequest == true ? Self.shortLifetime : Self.lifetime
        let end = dashboard.clock.uptime + lifetime
        var (place, cursor) = (from, request.cursor)
        var isTold = false
        var unfinished = UnfinishedLines()
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
            if let run = request.name.output, let tail = dashboard.board.feed.output(of: run),
                tail.unfinished.revision != unfinished.revision
            {
                unfinished = tail.unfinished
                try await send(Self.event(of: unfinished))
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
                for: request.name.topic, after: place, atMost: min(rest, Self.pulse), right: right)
            switch outcome {
            case .published, .ended: break
            case .expired: try await send(ByteBuffer(string: ":\n\n"))
            // The server shuts down.
            case .drained: return
            // Without a change of the unfinished lines, others need the connection.
            case .interrupted, .rights:
                let current = request.name.output.flatMap { dashboard.board.feed.output(of: $0)?.unfinished.revision }
                if (current ?? unfinished.revision) == unfinished.revision { return }
            }
        }
    }

    private func chunk(after place: SequenceNumber) async throws -> StreamChunk? {
        let streams = Streams(dashboard: dashboard)
        if let chunk = answers.chunk(of: request.name, after: place) { return chunk }
        guard try await status().head > place else { return nil }
        // If messages were removed, the connection closes, and the next request gets the reason.
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
        // With room for the control event.
        event.reserveCapacity(chunk.body.readableBytes + 512)
        event.writeString("event: data\ndata: ")
        event.writeImmutableBuffer(chunk.body)
        event.writeString("\n\n")
        return event
    }

    private static func event(of unfinished: UnfinishedLines) -> ByteBuffer {
        var event = ByteBuffer(string: "event: unfinished\ndata: ")
        event.writeImmutableBuffer(StreamAnswers.buffer(unfinished.json))
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
