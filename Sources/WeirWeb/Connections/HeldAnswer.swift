import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// An encoded answer to a tail.
protocol HeldAnswer: Sendable {
    var status: HTTPResponse.Status { get }
    var fields: HTTPFields { get }
    var body: ByteBuffer { get }
    var closes: Bool { get }
    /// The complete HTTP/1.1 message if several clients share it, or nil if it is encoded per client.
    var message: ByteBuffer? { get }
}

extension HeldAnswer {
    /// The response head at a time in milliseconds since 1970.
    func head(at wall: Int64) -> HTTPResponse {
        var fields = fields
        // A 204 response has no `Content-Length` (RFC 9110, section 8.6).
        if status != .noContent { fields[.contentLength] = String(body.readableBytes) }
        fields[.date] = HTTPDate.text(wall)
        SecurityHeaders.add(to: &fields, isPage: false)
        return HTTPResponse(status: status, headerFields: fields)
    }

    /// The complete HTTP/1.1 message (RFC 9112) for a connection that stays open.
    func encoded(at wall: Int64) -> ByteBuffer {
        let head = head(at: wall)
        var message = ByteBuffer()
        message.reserveCapacity(512 + body.readableBytes)
        message.writeString("HTTP/1.1 \(status.code) \(status.reasonPhrase)\r\n")
        for field in head.headerFields { message.writeString("\(field.name.rawName): \(field.value)\r\n") }
        message.writeString("\r\n")
        message.writeImmutableBuffer(body)
        return message
    }
}

extension HeldPollHandler {
    /// Sends an event to the connection's guard, or down the pipeline of a stream.
    func say(_ event: ConnectionEvent, _ context: ChannelHandlerContext) {
        guard let watch else {
            context.triggerUserOutboundEvent(event, promise: nil)
            return
        }
        watch.heard(event)
    }

    func write(_ answer: some HeldAnswer, closes: Bool, _ context: ChannelHandlerContext) {
        let closes = closes || answer.closes || isQuiescing
        dashboard.services.requests.count(answer is StreamAnswer ? .stream : .poll, answer.status)
        let wall = dashboard.clock.wall
        if !closes, let watch, watch.answer(answer.message ?? answer.encoded(at: wall)) { return }
        var head = answer.head(at: wall)
        if closes { head.headerFields[.connection] = "close" }
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if answer.body.readableBytes > 0 { context.write(wrapOutboundOut(.body(answer.body)), promise: nil) }
        guard closes else {
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
            return
        }
        let written = context.eventLoop.makePromise(of: Void.self)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: written)
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        written.futureResult.whenComplete { _ in bound.value.close(promise: nil) }
    }
}

/// Formats times as `Date` fields (RFC 9110, section 5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.
enum HTTPDate {
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// The text of a time in milliseconds since 1970, UTC.
    static func text(_ wall: Int64) -> String {
        let seconds = max(0, wall / 1_000)
        let day = seconds / 86_400
        // Converts days to a proleptic Gregorian date, with years that start in March (Hinnant, 2013).
        let shifted = day + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let dayOfMonth = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 2 : shiftedMonth - 10
        let year = era * 400 + yearOfEra + (month < 2 ? 1 : 0)
        let time = seconds % 86_400
        return "\(days[Int(clamping: day % 7)]), \(two(dayOfMonth)) \(months[Int(clamping: month)]) \(year) "
            + "\(two(time / 3_600)):\(two(time / 60 % 60)):\(two(time % 60)) GMT"
    }

    private static func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
