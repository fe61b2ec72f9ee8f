import Foundation
import WeirStates

/// Why the bytes of a file stopped coming, in a sentence that the run's page shows.
struct UploadFailure: Error, LocalizedError, CustomStringConvertible, Sendable, Hashable {
    let description: String

    var errorDescription: String? { description }

    /// The sender went away.
    static func stopped(received: Int64, announced: Int64?) -> UploadFailure {
        let all = announced.map { " of \($0)" } ?? ""
        return UploadFailure(
            description: "The sender stopped before the end: \(received)\(all) bytes had arrived. Send the file again.")
    }

    /// The sender of an upload that can be continued is away.
    static func silent(received: Int64, announced: Int64) -> UploadFailure {
        UploadFailure(
            description:
                "The sender has been away for a while: \(received) of \(announced) bytes have arrived and are kept. "
                + "Choose the same file again to continue.")
    }

    /// The sender sent more than is allowed.
    static func tooLarge(limit: Int64) -> UploadFailure {
        UploadFailure(
            description: "The file is larger than the \(ByteCount(clamping: limit)) that this server accepts.")
    }

    /// The sender sent too slowly.
    static let tooSlow = UploadFailure(
        description: "The file arrived too slowly, or stalled for too long. Send it again.")

    /// The server shuts down.
    static let shutdown = UploadFailure(
        description: "The server was shut down while the file was arriving. Send it again when the server is back.")

    /// Too many bodies are in memory.
    static let crowded = UploadFailure(description: "The server is receiving too much at once. Try again later.")

    /// Whoever sends it may not any more.
    static let revoked = UploadFailure(
        description: "The sender's rights were taken away while the file was arriving.")

    /// Nobody reads any more.
    static let closed = UploadFailure(description: "The file is no longer being received.")
}
