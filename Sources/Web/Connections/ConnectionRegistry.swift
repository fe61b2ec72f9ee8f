import NIOConcurrencyHelpers
import NIOCore

/// The open connections of a server, so that those left at the end of its grace can be ended.
final class ConnectionRegistry: Sendable {
    private let channels = NIOLockedValueBox<[ObjectIdentifier: any Channel]>([:])

    func add(_ channel: any Channel) { channels.withLockedValue { $0[ObjectIdentifier(channel)] = channel } }

    func remove(_ channel: any Channel) { channels.withLockedValue { $0[ObjectIdentifier(channel)] = nil } }

    /// How many are open.
    var count: Int { channels.withLockedValue { $0.count } }

    /// Ends all that are open.
    func closeAll() {
        for channel in channels.withLockedValue({ Array($0.values) }) { channel.close(promise: nil) }
    }
}
