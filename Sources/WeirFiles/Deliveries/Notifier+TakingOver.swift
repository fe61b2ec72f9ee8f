import WeirBoards
import WeirFlows
import WeirJournals

/// What the server that tells and those that may take its place know of each other.
extension Notifier {
    /// After how many changes of which nobody is told it is written down for other servers how far this one has come.
    private static let writtenEvery = 1_000

    /// Goes on where the server has stopped that told before, if another one did.
    func takeOver() async throws {
        guard !telling.withLock({ $0.isTelling }) else { return }
        let written = try await board.toldThrough() ?? .zero
        if written > (try await store.position(in: board.epoch) ?? .zero) {
            try await store.advance(to: written, in: board.epoch, adding: [])
        }
        telling.withLock { $0 = (true, written) }
    }

    /// Writes down for other servers how far this one has come.
    ///
    /// Once the messages are kept: whoever goes on after a server that died in between makes the same ones again, with their ids.
    func write(_ sequence: SequenceNumber, hasTold: Bool) async throws {
        let written = telling.withLock { $0.written }
        guard hasTold || sequence > written.advanced(by: Self.writtenEvery) else { return }
        try await board.setToldThrough(sequence)
        telling.withLock { $0.written = sequence }
    }
}
