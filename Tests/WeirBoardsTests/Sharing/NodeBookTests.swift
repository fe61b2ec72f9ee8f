import Testing
import WeirJournals

@testable import WeirBoards

/// How a server judges the others.
@Suite struct NodeBookTests {
    private func node(_ id: String, _ beat: Int64, records: Bool = false, watched: [String] = []) -> JournalNode {
        var standing = NodeStanding()
        standing.watched = watched
        return JournalNode(id: id, name: id, beat: beat, isRecording: records, standing: standing)
    }

    @Test func `a server is silent for as many of our beats as nothing new was heard of it`() {
        var book = NodeBook()
        for own in 1...3 { book.take([node("a", 7, records: true), node("b", Int64(own))]) }
        #expect(book.recording?.silence == 2)
        #expect(book.entries.last?.silence == 0)
        book.take([node("a", 8, records: true), node("b", 4)])
        #expect(book.recording?.silence == 0)
    }

    @Test func `what was not heard while we were cut off says nothing about the others`() {
        var book = NodeBook()
        for _ in 0..<NodeBook.lease { book.take([node("a", 7, records: true)]) }
        book.wasCutOff()
        book.take([node("a", 7, records: true)])
        #expect(book.recording?.silence == 1)
    }

    @Test func `a server is there that was heard, and has not been silent since`() {
        var book = NodeBook()
        book.take([node("a", 7), node("b", 1)])
        #expect(book.present == [])
        book.take([node("a", 7), node("b", 2)])
        #expect(book.present == ["b"])
        book.wasCutOff()
        for _ in 0..<NodeBook.pause { book.take([node("b", 2)]) }
        #expect(book.present == ["b"])
        book.take([node("b", 2)])
        #expect(book.present == [])
    }

    @Test func `a server that has been silent for very long is no longer listed`() {
        var book = NodeBook()
        for own in 0...Int64(NodeBook.memory) { book.take([node("a", 1), node("b", own)]) }
        #expect(book.forgotten == ["a"])
    }

    @Test func `what is watched at others goes on here, unless they are silent`() {
        var book = NodeBook()
        for own in 0...Int64(NodeBook.lease) {
            book.take([
                node("a", own, records: true, watched: ["x"]), node("b", own, watched: ["y"]),
                node("c", 0, watched: ["z"]),
            ])
        }
        #expect(book.watched(besides: "a") == ["y"])
    }

    @Test func `two servers with one id are told apart from a heartbeat that was sent twice`() {
        var (repeated, shared) = (OwnBeats(), OwnBeats())
        #expect([1, 2, 4, 6, 7, 9, 10].map { repeated.take($0) } == Array(repeating: false, count: 7))
        #expect([1, 3, 5, 7, 9].map { shared.take($0) } == [false, false, false, true, false])
    }
}
