import NIOCore

extension PollAnswers {
    /// A batch as it is written at a moment: its date changes once a second.
    struct MessageKey: Hashable {
        let batch: BatchKey
        let caching: PollAnswer.Caching
        let second: Int64
    }

    /// A batch that many are given, encoded whole: those who come late get the same bytes as those who waited.
    func shared(_ answer: PollAnswer, _ key: BatchKey) -> PollAnswer {
        let wall = clock.wall
        let key = MessageKey(batch: key, caching: answer.caching, second: wall / 1_000)
        var answer = answer
        answer.message = caches.messages.value(for: key, cost: \.readableBytes) { answer.encoded(at: wall) }
        return answer
    }
}
