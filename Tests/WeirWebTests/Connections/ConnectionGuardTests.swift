import Foundation
import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypes
import Testing

@testable import WeirWeb

/// What a watched connection does, with no socket and no waiting.
struct ConnectionGuardTests {
    /// Counts how often the socket is read.
    private final class Reads: ChannelOutboundHandler {
        typealias OutboundIn = Never
        var count = 0

        func read(context: ChannelHandlerContext) {
            count += 1
            context.read()
        }
    }

    func limits(_ change: (inout ConnectionLimits) -> Void = { _ in }) -> ConnectionLimits {
        var limits = ConnectionLimits()
        change(&limits)
        return limits
    }

    func get(_ number: Int) -> String { "GET /\(number) HTTP/1.1\r\nHost: a\r\n\r\n" }

    static func post(_ headers: String) -> String { "POST /1 HTTP/1.1\r\nHost: a\r\n\(headers)\r\n\r\n" }

    @Test func `a thousand requests sent at once are read a few at a time, and all answered in order`() throws {
        let connection = try EmbeddedConnection(limits { $0.pipeline = 4 })
        defer { connection.finish() }
        try connection.send((0..<1_000).map(get).joined())
        // Those of one small read may be more than the limit; a thousand are not.
        let atOnce = ConnectionMachine.sliceOfRequests / get(0).utf8.count + 5
        #expect(connection.paths.count < atOnce)
        var answered = 0
        while answered < connection.paths.count {
            connection.answer("\(answered)")
            answered += 1
            #expect(connection.paths.count - answered < atOnce)
        }
        #expect(connection.paths == (0..<1_000).map { "/\($0)" })
        #expect(try connection.received().components(separatedBy: "HTTP/1.1 200").count == 1_001)
    }

    @Test func `who sends many requests at once is read in turns, so that others come in between`() throws {
        let connection = try EmbeddedConnection(limits { $0.pipeline = 1_000 })
        defer { connection.finish() }
        try connection.send((0..<500).map(get).joined())
        let first = connection.paths.count
        #expect(first > 0)
        #expect(first < 50)
        connection.channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
        #expect(connection.paths.count > first)
        #expect(connection.paths.count < 100)
        connection.channel.embeddedEventLoop.advanceTime(by: .milliseconds(100))
        #expect(connection.paths.count == 500)
        // One request is read at once, however long its head is.
        try connection.send("GET /long HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "a", count: 10_000))\r\n\r\n")
        #expect(connection.paths.last == "/long")
    }

    @Test func `a client that takes no answers is asked for no further requests`() throws {
        let connection = try EmbeddedConnection(limits())
        defer { connection.finish() }
        try connection.send(get(0))
        connection.channel.isWritable = false
        connection.answer("long")
        try connection.send(get(1))
        #expect(connection.paths == ["/0"])
        connection.channel.isWritable = true
        connection.channel.pipeline.fireChannelWritabilityChanged()
        #expect(connection.paths == ["/0", "/1"])
    }

    @Test func `a client that sends all it has and then its end has all of it read before the end`() throws {
        let connection = try EmbeddedConnection(limits { $0.pipeline = 1 })
        defer { connection.finish() }
        try connection.send((0..<100).map(get).joined())
        connection.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        for number in 0..<100 {
            #expect(connection.isOpen)
            #expect(connection.paths.count > number)
            connection.answer()
        }
        #expect(connection.paths.count == 100)
        #expect(!connection.isOpen)
    }

    @Test func `a body of any length comes through whole, and the request behind it`() throws {
        let connection = try EmbeddedConnection(limits { $0.pipeline = 1 })
        defer { connection.finish() }
        let long = String(repeating: "a", count: 100_000)
        try connection.send(Self.post("Content-Length: 100000") + long + get(2))
        #expect(connection.bodies == 100_000)
        #expect(connection.paths == ["/1"])
        connection.answer()
        #expect(connection.paths == ["/1", "/2"])
        connection.answer()
        let chunk = "186a0\r\n" + long + "\r\n0\r\n\r\n"
        try connection.send(Self.post("Transfer-Encoding: chunked") + chunk + get(3))
        #expect(connection.bodies == 200_000)
        connection.answer()
        #expect(connection.paths == ["/1", "/2", "/1", "/3"])
    }

    @Test func `a connection that asks nothing is closed after a minute`() throws {
        let connection = try EmbeddedConnection(limits())
        defer { connection.finish() }
        connection.pass(55)
        #expect(connection.isOpen)
        try connection.send(get(0))
        connection.answer()
        connection.pass(59)
        #expect(connection.isOpen)
        connection.pass(6)
        #expect(!connection.isOpen)
        #expect(connection.registry.count == 0)
    }

    @Test func `a head that does not end is answered in words, whatever still comes`() throws {
        let connection = try EmbeddedConnection(limits())
        defer { connection.finish() }
        for byte in "GET / HTTP/1.1\r\nX: aaaaaaaa" {
            try connection.send(String(byte))
            connection.pass(1)
        }
        let answer = try connection.received()
        #expect(answer.hasPrefix("HTTP/1.1 408"))
        #expect(answer.contains("Connection: close"))
        #expect(answer.contains("urn:weir:problem:slow-request"))
        try connection.send("aaaa")
        #expect(connection.paths.isEmpty)
        connection.pass(3)
        #expect(!connection.isOpen)
    }

    @Test func `a body that is too slow is stopped for whoever reads it, and the answer still goes out`() throws {
        let connection = try EmbeddedConnection(limits())
        defer { connection.finish() }
        try connection.send(Self.post("Content-Length: 1000") + "a")
        connection.pass(28)
        #expect(connection.errors.isEmpty)
        try connection.send("a")
        connection.pass(7)
        #expect(connection.errors.first as? BodyStop == .tooSlow)
        #expect(connection.errors.count == 1)
        connection.answer("too slow")
        let answer = try connection.received()
        #expect(answer.contains("Connection: close"))
        #expect(answer.hasSuffix("too slow"))
        #expect(connection.isOpen)
        connection.pass(3)
        #expect(!connection.isOpen)
    }

    @Test func `a body that the server does not read is not too slow`() throws {
        let connection = try EmbeddedConnection(limits())
        defer { connection.finish() }
        try connection.send(Self.post("Content-Length: 1000") + "a", isServerReading: false)
        connection.pass(1_000)
        #expect(connection.errors.isEmpty)
        #expect(connection.isOpen)
    }

    @Test func `a body that nobody answers when it is stopped ends with its connection`() throws {
        let connection = try EmbeddedConnection(limits())
        defer { connection.finish() }
        try connection.send(Self.post("Content-Length: 1000") + "a")
        connection.pass(31)
        connection.pass(5)
        #expect(!connection.isOpen)
    }

    @Test func `a shutdown lets a body come for a moment, then has it answered`() throws {
        let connection = try EmbeddedConnection(limits())
        defer { connection.finish() }
        try connection.send(Self.post("Content-Length: 1000") + "a")
        connection.channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        #expect(connection.errors.isEmpty)
        connection.pass(1)
        #expect(connection.errors.first as? BodyStop == .shutdown)
        connection.answer("bye")
        #expect(try connection.received().contains("Connection: close"))
        // Whoever closes right behind the answer would take it from a client that still sends.
        connection.channel.close(promise: nil)
        #expect(connection.isOpen)
        connection.pass(3)
        #expect(!connection.isOpen)
    }

    @Test func `a large body that is refused is not read to its end, a small one is`() throws {
        let large = try EmbeddedConnection(limits())
        defer { large.finish() }
        try large.send(Self.post("Content-Length: 10000000") + "a")
        large.answer("no")
        #expect(try large.received().contains("Connection: close"))
        try large.send(String(repeating: "a", count: 1_000))
        #expect(large.bodies == 1)
        large.pass(3)
        #expect(!large.isOpen)
        let small = try EmbeddedConnection(limits())
        defer { small.finish() }
        try small.send(Self.post("Content-Length: 10") + "a")
        small.answer("no")
        #expect(try !small.received().contains("Connection: close"))
        try small.send("aaaaaaaaa" + get(2))
        #expect(small.paths == ["/1", "/2"])
    }

    @Test func `what comes behind a refusal is dropped as it comes, but more than a megabyte of it only slowly`() throws
    {
        let connection = try EmbeddedConnection(limits())
        defer { connection.finish() }
        try connection.send(Self.post("Content-Length: 10000000") + "a")
        connection.answer("no")
        let reads = Reads()
        try connection.channel.pipeline.syncOperations.addHandler(reads, position: .first)
        for count in 1...2 {
            try connection.send(String(repeating: "a", count: 1_000), isServerReading: false)
            #expect(reads.count == count)
        }
        try connection.send(String(repeating: "a", count: 1_048_576), isServerReading: false)
        #expect(reads.count == 2)
        connection.channel.embeddedEventLoop.advanceTime(by: .milliseconds(100))
        #expect(reads.count == 3)
        connection.pass(3)
        #expect(!connection.isOpen)
    }

    @Test func `a client that takes no byte for half a minute is ended`() throws {
        let connection = try EmbeddedConnection(limits())
        defer { connection.finish() }
        try connection.send(get(0))
        // Not flushed, nothing of it leaves.
        connection.answer("never taken", flushes: false)
        connection.pass(29)
        #expect(connection.isOpen)
        connection.pass(10)
        #expect(!connection.isOpen)
    }

    @Test func `to make room a connection ends at once, passes the word to its held poll, or ends with its answer`()
        throws
    {
        let idle = try EmbeddedConnection(limits())
        defer { idle.finish() }
        idle.channel.pipeline.fireUserInboundEventTriggered(ConnectionEvent.makeRoom)
        #expect(!idle.isOpen)
        let busy = try EmbeddedConnection(limits())
        defer { busy.finish() }
        try busy.send(get(0))
        busy.channel.pipeline.fireUserInboundEventTriggered(ConnectionEvent.makeRoom)
        #expect(busy.isOpen)
        #expect(busy.events.isEmpty)
        busy.answer("done")
        #expect(try busy.received().contains("Connection: close"))
        #expect(!busy.isOpen)
        let held = try EmbeddedConnection(limits())
        defer { held.finish() }
        try held.send(get(0))
        try held.channel.triggerUserOutboundEvent(ConnectionEvent.holdBegan).wait()
        held.channel.pipeline.fireUserInboundEventTriggered(ConnectionEvent.makeRoom)
        #expect(held.isOpen)
        #expect(held.events.count == 1)
        let slow = try EmbeddedConnection(limits())
        defer { slow.finish() }
        try slow.send(Self.post("Content-Length: 1000") + "a")
        slow.pass(3)
        slow.channel.pipeline.fireUserInboundEventTriggered(ConnectionEvent.makeRoom)
        #expect(!slow.isOpen)
    }
}
