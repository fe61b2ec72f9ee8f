import NIOCore
import WeirBoards
import WeirJournals
import WeirStates

/// A piece of a stream from a place on: as much as one answer has.
struct StreamChunk: Sendable {
    /// The most changes in one answer.
    static let changeLimit = 500
    /// The most lines in one answer.
    static let lineLimit = 1_000
    /// The most bytes in one answer, but for a single message that is larger.
    static let byteLimit = Board.answerBytes

    /// The messages as a JSON array, or the text.
    let body: ByteBuffer
    /// The place behind it.
    let to: SequenceNumber
    /// Whether more follows already.
    let more: Bool
    /// Whether nothing ever follows.
    let isClosed: Bool

    /// Makes a chunk of messages that are JSON already, each with its place; at least of the first.
    ///
    /// `end` is how far was looked, where no message stands at the end of it.
    init(
        messages: some Sequence<(place: SequenceNumber, json: ByteBuffer)>, after from: SequenceNumber,
        through end: SequenceNumber = .zero, more: Bool, isClosed: Bool
    ) {
        var body = ByteBuffer()
        body.writeString("[")
        var (last, isCut) = (from, false)
        for (place, json) in messages {
            if last > from {
                if body.readableBytes + json.readableBytes > Self.byteLimit {
                    isCut = true
                    break
                }
                body.writeString(",")
            }
            body.writeImmutableBuffer(json)
            last = place
        }
        body.writeString("]")
        self.body = body
        to = isCut ? last : max(last, end)
        self.more = more || isCut
        self.isClosed = isClosed && !self.more
    }

    /// Makes a chunk of text: the lines with their ends; what was cut because it is long is in one piece again.
    init(text lines: some Sequence<OutputLine>, after from: SequenceNumber, more: Bool, isClosed: Bool) {
        var body = ByteBuffer()
        var (last, isCut) = (from, false)
        for line in lines {
            if last > from, body.readableBytes + line.text.utf8.count > Self.byteLimit {
                isCut = true
                break
            }
            body.writeString(line.text)
            if !line.continues { body.writeInteger(UInt8(ascii: "\n")) }
            last = line.number
        }
        self.body = body
        to = last
        self.more = more || isCut
        self.isClosed = isClosed && !self.more
    }
}
