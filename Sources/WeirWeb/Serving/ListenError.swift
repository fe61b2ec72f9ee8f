import Foundation
import NIOCore

/// Why a server cannot listen where it is to listen, in a sentence that says what to do.
package struct ListenError: Error, Sendable, CustomStringConvertible {
    /// What is in the way.
    package enum Reason: Sendable {
        /// Another program listens there.
        case inUse
        /// The address belongs to another machine, or to none.
        case notThisMachine
        /// The system lets only privileged programs listen there.
        case notAllowed
        /// There is no such name.
        case unknownHost
        /// The system says something else.
        case other
    }

    /// What is in the way.
    package let reason: Reason
    /// What is in the way and what to do.
    package let description: String

    /// Says why listening failed with an error.
    init(_ error: any Error, host: String, port: Int) {
        let code = (error as? IOError)?.errnoCode
        switch code {
        case EADDRINUSE:
            reason = .inUse
            description =
                "Another program listens on port \(port) of \(host). Stop it, or choose another port: --port 0 takes a free one."
        case EADDRNOTAVAIL:
            reason = .notThisMachine
            description =
                "The address \(host) is not an address of this machine. Choose one with --host: 127.0.0.1 for this machine alone, 0.0.0.0 for all its addresses."
        case EACCES, EPERM:
            reason = .notAllowed
            description =
                "This program is not allowed to listen on port \(port) of \(host): ports below 1024 are for privileged programs. Choose a higher one with --port."
        case nil:
            reason = .unknownHost
            description =
                "The host name \(host) is unknown. Use an address of this machine, such as --host 127.0.0.1, or a name that resolves to one."
        case let code?:
            reason = .other
            description =
                "The system does not let this program listen on port \(port) of \(host): \(String(cString: strerror(code)))."
        }
    }
}
