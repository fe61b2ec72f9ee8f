import NIOCore
import WeirJournals

/// What was rendered and encoded, of all audiences together, so that many audiences take no more memory than one.
final class PollCaches: Sendable {
    let batches = GenerationCache<PollAnswers.BatchKey, ByteBuffer>(limit: 16 * 1_024 * 1_024)
    let messages = GenerationCache<PollAnswers.MessageKey, ByteBuffer>(limit: 4 * 1_024 * 1_024)
    let events = GenerationCache<PollAnswers.EventKey, ByteBuffer>(limit: 32 * 1_024 * 1_024)
    let chunks = GenerationCache<StreamAnswers.ChunkKey, StreamChunk>(limit: 16 * 1_024 * 1_024)
    let pages = PageCache()
    let changes = GenerationCache<SequenceNumber, ByteBuffer>(limit: 16 * 1_024 * 1_024)
}
