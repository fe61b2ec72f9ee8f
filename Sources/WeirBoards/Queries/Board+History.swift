package import WeirJournals

extension Board {
    /// When the history began that all sequences belong to.
    package var began: Timestamp { journal.began }

    /// The sequence of a feed's last change that can be had no more, neither from memory nor from the journal; 0 while all
    /// can be.
    ///
    /// Throws `unavailable` when the journal cannot be read.
    package func floor(of topic: Topic) async throws(BoardError) -> SequenceNumber {
        let inMemory = feed.floor(of: topic)
        if inMemory == 0 { return 0 }
        return min(inMemory, try await read { try await journal.floor(of: topic) })
    }
}
