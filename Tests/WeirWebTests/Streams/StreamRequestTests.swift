import Testing
import WeirJournals

@testable import WeirWeb

// Sections 5.6 to 5.8 and 8 of the Durable Streams protocol.
@Suite struct StreamRequestTests {
    private let board = StreamName.feed(.board)

    private func request(_ query: String, _ name: StreamName? = nil) throws(StreamRequest.Mistake) -> StreamRequest {
        try StreamRequest(name ?? board, query: FormFields(query) ?? FormFields())
    }

    @Test func `without an offset, and with -1, a stream is read from its beginning`() throws {
        #expect(try request("") == StreamRequest(board, start: .beginning))
        #expect(try request("offset=-1") == request(""))
        #expect(try request("offset=now").start == .now)
    }

    @Test func `live needs an offset`() throws {
        #expect(throws: StreamRequest.Mistake.self) { try request("live=long-poll") }
        #expect(throws: StreamRequest.Mistake.self) { try request("live=sse") }
        #expect(try request("live=sse&offset=now").mode == .events)
        #expect(try request("live=long-poll&offset=-1&cursor=17").cursor?.number == 17)
    }

    @Test func `an empty, a repeated and a malformed parameter are refused, and an unknown one is passed over`() throws
    {
        let refused = [
            "offset=", "offset=a,b", "offset=%20", "offset=-1&offset=-1", "live=true&offset=-1", "live=&offset=-1",
            "offset=-1&live=sse&live=sse", "offset=-1&cursor=", "offset=-1&cursor=x", "cursor=1&cursor=1",
        ]
        for query in refused { #expect(throws: StreamRequest.Mistake.self, "\(query)") { try request(query) } }
        #expect(try request("offset=now&tail=1") == request("offset=now"))
    }

    @Test func `a text has no events, as a line may have any character`() throws {
        let text = StreamName.text(run: "a")
        #expect(throws: StreamRequest.Mistake.self) { try request("live=sse&offset=now", text) }
        #expect(try request("live=long-poll&offset=now", text).mode == .longPoll)
    }

    @Test func `a place of a reported run is none of a feed`() throws {
        let history = StreamOffset.History(epoch: "k3f9", began: Timestamp(milliseconds: 1))
        let offset = StreamOffset(history, 1, line: 1)
        #expect(throws: StreamRequest.Mistake.self) { try request("offset=\(offset)") }
    }

    @Test func `streams are feeds, and outputs as text`() {
        #expect(StreamName(feed: "board", isText: false) == .feed(.board))
        #expect(StreamName(feed: "output-a", isText: false) == .feed(.output("a")))
        #expect(StreamName(feed: "output-a", isText: true) == .text(run: "a"))
        for feed in ["board", "run-a", "nothing", ""] { #expect(StreamName(feed: feed, isText: true) == nil) }
        for feed in ["nothing", "", "run-", "run-A", "output-a/text"] {
            #expect(StreamName(feed: feed, isText: false) == nil, "\(feed)")
        }
    }
}

@Suite struct StreamStatusTests {
    private let history = StreamOffset.History(epoch: "k3f9", began: Timestamp(milliseconds: 1))
    private let other = StreamOffset.History(epoch: "k3fa", began: Timestamp(milliseconds: 1))

    private func decision(
        _ start: StreamRequest.Start, head: SequenceNumber = 9, floor: SequenceNumber = 4, isClosed: Bool = false
    ) -> StreamStatus.Decision {
        StreamStatus(head: head, floor: floor, isClosed: isClosed).decision(start, in: history)
    }

    @Test func `the beginning lies behind what is gone, so that the second page is good too`() {
        #expect(decision(.beginning) == .read(after: 4))
        #expect(decision(.after(StreamOffset(history, 4))) == .read(after: 4))
    }

    @Test func `nothing is ever skipped: a gap, another history and the future are losses`() {
        #expect(decision(.after(StreamOffset(history, 3))) == .lost(.removed))
        #expect(decision(.after(StreamOffset(other, 9))) == .lost(.replaced))
        #expect(decision(.after(StreamOffset(history, 10))) == .lost(.future))
    }

    @Test func `a place that counts what others may see is a loss, after that of another history`() {
        let status = StreamStatus(head: 9, floor: 4, isClosed: false)
        let part = "0123456789abc"
        for (sent, seen) in [(part, nil), (nil, part), ("zzzzzzzzzzzzz", part)] as [(String?, String?)] {
            let offset = StreamOffset(history, 9, part: sent)
            #expect(status.decision(.after(offset), in: history, part: seen) == .lost(.otherPart))
        }
        let same = StreamOffset(history, 9, part: part)
        #expect(status.decision(.after(same), in: history, part: part) == .nothing(at: 9))
        #expect(status.decision(.after(StreamOffset(other, 9, part: part)), in: history) == .lost(.replaced))
    }

    @Test func `the tail of an open stream waits, that of a closed one is the end`() {
        #expect(decision(.now) == .nothing(at: 9))
        #expect(decision(.now, isClosed: true) == .end(at: 9))
        #expect(decision(.after(StreamOffset(history, 9)), isClosed: true) == .end(at: 9))
        #expect(decision(.beginning, head: 0, floor: 0) == .nothing(at: 0))
        // All there was is gone.
        #expect(decision(.beginning, head: 4, floor: 4) == .nothing(at: 4))
        #expect(decision(.beginning, head: 3, floor: 4) == .nothing(at: 3))
    }
}
