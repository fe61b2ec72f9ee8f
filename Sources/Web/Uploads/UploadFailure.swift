import Foundation

/// Why the bytes of a file stopped coming, in a sentence that the run's page shows.
struct UploadFailure: Error, LocalizedError, CustomStringConvertible, Sendable, Hashable {
    let description: String

    var errorDescription: String? { description }

    /// The sender went away.
    static func stopped(received: Int64, announced: Int64?) -> UploadFailure {
        let all = announced.map { " of \($0)" } ?? ""
        return UploadFailure(
            description: "The sender stopped half way: \(received)\(all) bytes had arrived. Send the file again.")
    }

    /// The sender sent more than is allowed.
    static func tooLarge(limit: Int64) -> UploadFailure {
        UploadFailure(description: "The file is larger than the \(limit) bytes that this server takes.")
    }

    /// Nobody reads any more.
    static let closed = UploadFailure(description: "The file is no longer being received.")
}
