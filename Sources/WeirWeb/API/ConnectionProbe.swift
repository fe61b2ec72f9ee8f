import HTTPTypes
import Hummingbird
import NIOCore
import ServiceLifecycle
import WeirAccess
import WeirStates

/// Answers with what the server sees of a connection, with `?wait=true` in three pieces, by which `weir doctor` recognises a
/// proxy that buffers answers, ends silent connections, or hides the client.
///
/// The answer has the form of a stream of events, so that a proxy treats it as one.
struct ConnectionProbe {
    /// How many answers are written at a time; further requests are refused.
    static let maximum = 16
    /// The pauses before the second and the third piece, of which the second is the longest silence of any answer.
    static let pauses: [Duration] = [.seconds(1), .milliseconds(StreamEvents.pulse)]

    let dashboard: AudienceDashboard

    func answer(_ exchange: Exchange) throws(Problem) -> Response {
        guard let slot = dashboard.probes.take() else { throw .crowdedAnswers }
        let facts: String
        do { facts = try json(exchange).text() } catch { throw .crowdedAnswers }
        let pauses = exchange.target.query["wait"] == "true" ? Self.pauses : []
        let fields: HTTPFields = [.contentType: "text/event-stream", .cacheControl: "no-store", .accelBuffering: "no"]
        return Response(
            status: .ok, headers: fields,
            body: ResponseBody { writer in
                defer { slot.release() }
                try await writer.write(ByteBuffer(string: "data: \(facts)\n\n"))
                for pause in pauses {
                    // A shutdown ends the answer early.
                    let isOver = await cancelWhenGracefulShutdown {
                        do { try await Task.sleep(for: pause) } catch { return true }
                        return false
                    }
                    if isOver { break }
                    try await writer.write(ByteBuffer(string: ":\n\n"))
                }
                try await writer.finish(nil)
            })
    }

    private func json(_ exchange: Exchange) -> JSONValue {
        var members: [String: JSONValue] = [:]
        members["host"] = exchange.request.head.authority.map(JSONValue.string)
        members["scheme"] = (exchange.header(.forwardedProto) ?? exchange.request.head.scheme).map(JSONValue.string)
        members["client"] = exchange.origin?.audit.address.map(JSONValue.string)
        members["proxied"] = exchange.origin.map { .bool($0.isProxied) }
        members["forwarded"] = .bool(exchange.header(.forwardedFor) != nil)
        return .object(members)
    }
}
