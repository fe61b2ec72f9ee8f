import NIOConcurrencyHelpers
import NIOCore

/// How many polls are held on each connection of HTTP/2: never so many that no stream is left for anything else.
final class StreamHolds: Sendable {
    /// How many may be, of the hundred streams that a connection has.
    static let limit = 90

    private let counts = NIOLockedValueBox<[ObjectIdentifier: Int]>([:])

    /// Counts one on the connection of a stream; false when it is one too many.
    ///
    /// It is to be ended in either case.
    func begin(on stream: any Channel) -> Bool {
        let key = Self.key(of: stream)
        return counts.withLockedValue { counts in
            counts[key, default: 0] += 1
            return counts[key, default: 0] <= Self.limit
        }
    }

    /// Counts one less.
    func end(on stream: any Channel) {
        let key = Self.key(of: stream)
        counts.withLockedValue { counts in
            let left = counts[key, default: 0] - 1
            counts[key] = left > 0 ? left : nil
        }
    }

    /// On how many connections polls are held.
    var connections: Int { counts.withLockedValue { $0.count } }

    private static func key(of stream: any Channel) -> ObjectIdentifier { ObjectIdentifier(stream.parent ?? stream) }
}
