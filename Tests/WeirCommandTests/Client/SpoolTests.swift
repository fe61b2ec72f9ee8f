import Foundation
import Testing
@testable import WeirCommand
import WeirStates

struct SpoolTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "weir-spool-\(UUID().uuidString)")
    private let header = SpoolHeader(
        server: "http://127.0.0.1:8080", operation: "backup", run: "r1", title: "Backup", input: ["a": 1])

    @Test func `messages come out in the order in which they went in, also in the next process`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        do {
            let spool = try Spool.make(in: folder, header: header)
            try spool.append([["line": "1"], ["line": "2"]])
            try spool.append([["line": "3"]])
        }
        let spool = try #require(SpoolFolder(folder).waiting().next())
        #expect(spool.header == header)
        #expect(try spool.batch(at: spool.place)?.messages == [["line": "1"], ["line": "2"], ["line": "3"]])
    }

    @Test func `a request that was on its way when its process ended is made of the same messages again`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        do {
            let spool = try Spool.make(in: folder, header: header)
            var place = spool.place
            place.opened()
            try spool.append([["line": "1"], ["line": "2"]])
            let batch = try #require(try spool.batch(at: place))
            place.begin(through: batch.end, messages: batch.recorded)
            try spool.write(place)
            try spool.append([["line": "3"]])
        }
        let spool = try #require(SpoolFolder(folder).waiting().next())
        var place = spool.place
        #expect(place.isOpen)
        #expect(place.number == 0)
        #expect(try spool.batch(at: place)?.messages == [["line": "1"], ["line": "2"]])
        place.taken()
        #expect(place.number == 1)
        #expect(try spool.batch(at: place)?.messages == [["line": "3"]])
    }

    @Test func `half a line that a process left is cut off, and what follows stands on a line of its own`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        do {
            let spool = try Spool.make(in: folder, header: header)
            try spool.append([["line": "1"]])
            let file = try FileHandle(forWritingTo: spool.url)
            try file.seekToEnd()
            try file.write(contentsOf: Data("{\"line\":\"ha".utf8))
        }
        let spool = try #require(SpoolFolder(folder).waiting().next())
        try spool.append([["line": "2"]])
        #expect(try spool.batch(at: spool.place)?.messages == [["line": "1"], ["line": "2"]])
    }

    @Test func `a spool that somebody is at work on is left alone, and so is a file that is none`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let spool = try Spool.make(in: folder, header: header)
        try Data("no spool".utf8).write(to: folder.appending(path: "other.jsonl"))
        #expect(SpoolFolder(folder).waiting().next() == nil)
        try withExtendedLifetime(spool) { try spool.append([["line": "1"]]) }
    }

    @Test func `only its owner can read a spool, and nothing of it stays when it is removed`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let spool = try Spool.make(in: folder, header: header)
        try spool.write(SpoolPlace())
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        for name in names {
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.appending(path: name).path)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
        #expect(names.count == 2)
        spool.remove()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test func `a request holds what fits, and the state that ends the run is its last message`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let spool = try Spool.make(in: folder, header: header)
        let long = String(repeating: "x", count: 16_000)
        try spool.append((0..<40).map { ["line": .string("\($0)" + long)] })
        try spool.append([["state": "failed", "phase": "failed"]])
        var place = SpoolPlace()
        place.opened()
        var counts: [Int] = []
        var last: Spool.Batch?
        while let batch = try spool.batch(at: place) {
            counts.append(batch.messages.count)
            place.begin(through: batch.end, messages: batch.recorded)
            place.taken()
            last = batch
        }
        #expect(counts.reduce(0, +) == 41)
        #expect(counts.count > 2)
        #expect(last?.isClosing == true)
        #expect(place.recorded == 40)
    }

    @Test func `a message that is longer than a request goes alone`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let spool = try Spool.make(in: folder, header: header)
        try spool.append([["line": .string(String(repeating: "x", count: 2_000_000))], ["line": "2"]])
        var place = SpoolPlace()
        let first = try #require(try spool.batch(at: place))
        #expect(first.messages.count == 1)
        place.begin(through: first.end, messages: 1)
        #expect(try spool.batch(at: place) == first)
    }

    @Test func `a long spool of which all has arrived gives its room on the disk back, and goes on`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let count = 1_100
        do {
            let spool = try Spool.make(in: folder, header: header)
            let long = String(repeating: "x", count: 8_000)
            for number in 0..<count { try spool.append([["line": .string("\(number)" + long)]]) }
            var place = SpoolPlace()
            while let batch = try spool.batch(at: place) {
                place.begin(through: batch.end, messages: batch.recorded)
                try spool.write(place)
                place.taken()
            }
            try spool.shorten(place)
            #expect(try Data(contentsOf: spool.url).count < 10_000)
            try spool.append([["line": "next"]])
        }
        let spool = try #require(SpoolFolder(folder).waiting().next())
        try spool.append([["line": "last"]])
        #expect(try spool.batch(at: spool.place)?.messages == [["line": "next"], ["line": "last"]])
    }

    @Test func `a run that the server ended goes on in another, behind what is known to have arrived`() {
        var place = SpoolPlace()
        place.opened()
        place.begin(through: 100, messages: 3)
        place.taken()
        place.begin(through: 150, messages: 2)
        var (lost, arrived, unknown) = (place, place, place)
        lost.continued(recorded: 3)
        arrived.continued(recorded: 5)
        unknown.continued(recorded: nil)
        #expect(lost.from == 100)
        #expect(arrived.from == 150)
        #expect(unknown.from == 100)
        for next in [lost, arrived, unknown] {
            #expect(next.run(of: header) == "r1-2")
            #expect(next.number == 0)
            #expect(!next.isOpen)
            #expect(next.through == nil)
        }
    }

    @Test func `a number that no report comes to ends no process`() throws {
        var place = SpoolPlace()
        place.opened()
        let text = String(decoding: try JSONEncoder().encode(place), as: UTF8.self)
        let other = text.replacing("\"number\":0", with: "\"number\":\(Int64.max)")
        #expect(other != text)
        var read = try JSONDecoder().decode(SpoolPlace.self, from: Data(other.utf8))
        read.begin(through: 100, messages: 1)
        read.taken()
        #expect(read.number == .max && read.from == 100)
    }

    @Test func `a run that every server ends at once is given up`() {
        var place = SpoolPlace()
        for _ in 0..<SpoolPlace.maximumParts { place.continued(recorded: nil) }
        #expect(place.isExhausted)
    }
}
