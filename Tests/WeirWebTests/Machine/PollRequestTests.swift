import Testing
import WeirJournals

@testable import WeirWeb

struct PollRequestTests {
    @Test func `each kind is read and written in one spelling`() {
        let tail = PollRequest(path: "board/k3f9/1041/136123")
        #expect(tail == PollRequest(feed: "board", .tail(epoch: "k3f9", sequence: 1_041, slot: 136_123)))
        #expect(PollRequest(path: "run-01j--pt-br/k3f9/0/now")?.kind == .now(epoch: "k3f9", sequence: 0))
        #expect(PollRequest(path: "operation-upload/snap")?.kind == .snap)
        #expect(PollRequest(path: "board/k3f9.a1/7/now")?.kind == .now(epoch: "k3f9.a1", sequence: 7))
        for path in [
            "board/k3f9.a1/7/now", "board/k3f9.0.b2/7/now", "board/k3f9/1041/136123", "run-01j--pt-br/k3f9/0/now",
            "operation-upload/snap",
        ] {
            #expect(PollRequest(path: path)?.path == path)
        }
    }

    // Protocol test 17
    @Test(arguments: [
        "", "/", "board", "board/", "board/snap/", "board//snap", "Board/snap", "board/Snap", "board/snap?x=1",
        "board/k3f9/1/2/3", "board/k3f9/01/2", "board/k3f9/1/02", "board/k3f9/+1/2", "board/k3f9/-1/2",
        "board/k3f9/1/2?", "board/k3f9/1/2#x", "board/k3f9/1/NOW", "board/k3f9/1/now/", "board/K3F9/1/2",
        "board/k3%66/1/2", "bo%61rd/k3f9/1/2", "board/k3f9/1 /2", "board/k3f9/99999999999999999999/2",
        "board/k3f9/9223372036854775808/2", "board/k3f9/9007199254740992/2", "../board/snap", "board/../snap",
        "bo\u{e4}rd/snap", "board/k3f9/\u{661}/2",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/snap", "board/k3f9//2", "board/k3f9/1/",
        "board/k3f9./1/2", "board/.a1/1/2", "board/k3f9.a1.b.c/1/2", "board/k3f9.a1./1/2",
        "board/k3f9.aaaaaaaaaaaaaaaaa/1/2",
    ])
    func `anything not spelled so is refused`(path: String) {
        #expect(PollRequest(path: path) == nil)
    }

    // Protocol test 17
    @Test func `whatever random path is read is written back the same`() {
        var random = SeededGenerator(seed: 1)
        let alphabet = Array("abz09-/AZ.%?#+ \u{e4}\u{0}now")
        var read = 0
        for _ in 0..<200_000 {
            var path = ""
            for _ in 0..<(random.next() % 16) { path.append(alphabet[Int(random.next() % UInt64(alphabet.count))]) }
            if random.next() % 4 == 0 { path = "board/a/1/" + path }
            guard let request = PollRequest(path: path) else { continue }
            read += 1
            #expect(request.path == path)
        }
        #expect(read > 100)
    }
}
