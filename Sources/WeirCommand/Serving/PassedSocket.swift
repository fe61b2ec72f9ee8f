import CInstallation
import Foundation

/// The listening socket that a service manager passed to the process, as `weir.socket` does.
///
/// Its address counts instead of the settings `host` and `port`, also for what they decide about access.
struct PassedSocket: Sendable {
    let descriptor: Int32
    let host: String
    let port: Int

    /// The first descriptor that a service manager passes; see sd_listen_fds(3).
    static let first: Int32 = 3

    /// Takes the socket from the environment, if there is one for this process; throws `StartError` if it is unusable.
    init?(
        environment: [String: String], process: Int32 = ProcessInfo.processInfo.processIdentifier,
        descriptor: Int32 = first
    ) throws(StartError) {
        guard environment["LISTEN_PID"] == String(process), let count = environment["LISTEN_FDS"].flatMap({ Int($0) }),
            count > 0
        else { return nil }
        guard count == 1 else {
            throw .misconfigured(
                "The service manager passes \(count) sockets, and the server listens on one. Leave one ListenStream in the "
                    + "socket unit.")
        }
        var text = [CChar](repeating: 0, count: 64)
        var port: Int32 = 0
        let code = cinstallation_take_socket(descriptor, &text, text.count, &port)
        guard code == 0 else {
            throw .misconfigured(
                "The service manager passes a socket that cannot be used (\(String(cString: strerror(code)))). Write "
                    + "ListenStream=ADDRESS:PORT, without Accept=yes, in the socket unit.")
        }
        self.descriptor = descriptor
        host = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        self.port = Int(port)
    }
}
