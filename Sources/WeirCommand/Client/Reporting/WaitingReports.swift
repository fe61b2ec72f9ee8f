import Foundation

/// Sends the reports of a folder that wait for their servers, as the only process that does.
struct WaitingReports {
    private let folder: SpoolFolder
    private let clock: any Clock<Duration>
    private let say: @Sendable (String) -> Void
    private let complain: @Sendable (String) -> Void
    private let connection: (SpoolHeader) throws(ClientError) -> ServerConnection

    /// Creates a sender; `connection` finds the server of a report.
    init(
        in folder: SpoolFolder, clock: any Clock<Duration> = ContinuousClock(),
        say: @escaping @Sendable (String) -> Void, complain: @escaping @Sendable (String) -> Void,
        connection: @escaping (SpoolHeader) throws(ClientError) -> ServerConnection
    ) {
        self.folder = folder
        self.clock = clock
        self.say = say
        self.complain = complain
        self.connection = connection
    }

    /// Sends each report, and returns how many are left.
    ///
    /// A server that stays away is asked for its first report only. A mistake with one report does not keep back the others.
    /// - Throws: `ClientError` if another process is sending, or the folder cannot be used.
    func send() async throws(ClientError) -> Int {
        guard FileManager.default.fileExists(atPath: folder.url.path) else { return 0 }
        let lock = try folder.lock()
        defer { withExtendedLifetime(lock) {} }
        var left = 0
        var away: Set<String> = []
        for spool in folder.waiting() {
            if !away.contains(spool.header.server) {
                switch await send(spool) {
                case .delivered, .cancelled, .unfinished:
                    spool.remove()
                    say("Sent \(spool.header.run) to \(spool.header.server).")
                    continue
                case .left: away.insert(spool.header.server)
                case .refused(let error): complain("\(spool.url.path): \(error.description)")
                }
            }
            left += 1
        }
        return left
    }

    private func send(_ spool: Spool) async -> Reporter.End {
        do {
            return try await ServerClient.with(try connection(spool.header)) { client in
                await Reporter(client, spool: spool, lease: .seconds(300), clock: clock, complain: complain).once()
            }
        } catch {
            return .refused(
                error as? ClientError ?? ClientError(.unavailable, "The report cannot be sent: \(error)."))
        }
    }
}
