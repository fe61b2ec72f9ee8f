import NIOConcurrencyHelpers
import NIOCore

/// What the streams of each connection of HTTP/2 are doing: how many there are, and how many hold a poll, which are never so
/// many that no stream is left for anything else.
final class StreamHolds: Sendable {
    /// How many polls may be held, of the hundred streams that a connection has.
    static let limit = 90

    private struct Connection {
        var streams = 0
        var held = 0
        /// Since when it is so.
        var since: NIODeadline
    }

    private let connections = NIOLockedValueBox<[ObjectIdentifier: Connection]>([:])

    /// A stream of a connection begins.
    func opened(_ stream: any Channel) { change(stream) { $0.streams += 1 } }

    /// A stream has ended, and holds nothing any more.
    func closed(_ stream: any Channel) { change(stream) { $0.streams -= 1 } }

    /// Counts a poll on the connection of a stream; false when it is one too many.
    ///
    /// It is to be ended in either case.
    func begin(on stream: any Channel) -> Bool {
        change(stream) { $0.held += 1 }
        return connections.withLockedValue { ($0[Self.key(of: stream)]?.held ?? 0) <= Self.limit }
    }

    /// Counts one less.
    func end(on stream: any Channel) { change(stream) { $0.held -= 1 } }

    /// Whom a connection waits for; nil for one that never had a stream.
    func activity(of connection: any Channel) -> ConnectionMachine.Activity? {
        connections.withLockedValue { connections in
            connections[ObjectIdentifier(connection)].map { known in
                if known.streams == 0 { return .idle(known.since) }
                return known.held >= known.streams ? .held(known.since) : .busy(known.since)
            }
        }
    }

    /// The connection is over.
    func forget(_ connection: any Channel) {
        connections.withLockedValue { $0[ObjectIdentifier(connection)] = nil }
    }

    private func change(_ stream: any Channel, _ body: (inout Connection) -> Void) {
        let (key, now) = (Self.key(of: stream), stream.eventLoop.now)
        connections.withLockedValue { connections in
            var connection = connections[key] ?? Connection(since: now)
            body(&connection)
            connection.since = now
            // What is left of a connection that was forgotten.
            connections[key] =
                connection.streams > 0 || connection.held > 0 || stream.parent?.isActive == true
                ? connection : nil
        }
    }

    private static func key(of stream: any Channel) -> ObjectIdentifier { ObjectIdentifier(stream.parent ?? stream) }
}
