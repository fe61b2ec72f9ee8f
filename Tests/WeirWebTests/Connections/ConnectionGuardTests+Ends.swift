import HTTPTypes
import NIOCore
import NIOEmbedded
import Testing

@testable import WeirWeb

/// Connections that end while more comes than is read.
extension ConnectionGuardTests {
    @Test func `what comes behind a request to tunnel is dropped for a while, so that its answer arrives`() throws {
        let connection = try EmbeddedConnection(limits())
        defer { connection.finish() }
        try connection.send("CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n" + Self.post("Content-Length: 3") + "abc")
        connection.refuse(.notFound)
        #expect(try connection.received().hasPrefix("HTTP/1.1 404"))
        // Closed at once, it would be reset, as bytes have come that nobody read.
        #expect(connection.isOpen)
        connection.pass(3)
        #expect(!connection.isOpen)
    }

    @Test func `what comes behind something that is no request is dropped for a while, so that answers arrive`() throws
    {
        let connection = try EmbeddedConnection(limits())
        defer { connection.finish() }
        try connection.send(get(0) + "\u{1}\u{2} hello\r\n\r\n")
        connection.answer("done")
        connection.refuse(.badRequest)
        #expect(try connection.received().contains("HTTP/1.1 400"))
        #expect(connection.isOpen)
        connection.pass(3)
        #expect(!connection.isOpen)
    }

    @Test func `what still comes of a head that is too slow is dropped for a while, so that answers arrive`() throws {
        let connection = try EmbeddedConnection(limits())
        defer { connection.finish() }
        try connection.send("GET / HTTP/1.1\r\nX: aaaaaaaa")
        connection.pass(20)
        #expect(try connection.received().hasPrefix("HTTP/1.1 408"))
        // Closed at once, it would be reset by what its client still sends.
        #expect(connection.isOpen)
        connection.pass(3)
        #expect(!connection.isOpen)
    }

    @Test func `a client that sends nothing any more is let go with its answer, and nobody waits for it to close`()
        throws
    {
        let connection = try EmbeddedConnection(limits(), isUnencrypted: true)
        defer { connection.finish() }
        try connection.send(get(0))
        connection.endInput()
        // Who answers is told at once, as nothing more is to be read before.
        #expect(connection.hasInputEnded)
        connection.refuse(.forbidden)
        #expect(try connection.received().hasPrefix("HTTP/1.1 403"))
        #expect(!connection.isOpen)
    }

    @Test func `requests that wait when a connection is to end are dropped for a while, so that answers arrive`() throws
    {
        let connection = try EmbeddedConnection(limits { $0.pipeline = 1 }, isUnencrypted: true)
        defer { connection.finish() }
        try connection.send((0..<1_000).map(get).joined())
        connection.channel.pipeline.fireUserInboundEventTriggered(ConnectionEvent.makeRoom)
        var answered = 0
        while answered < connection.paths.count {
            connection.answer("\(answered)")
            answered += 1
        }
        #expect(answered < 1_000)
        #expect(try connection.received().contains("Connection: close"))
        #expect(connection.isOpen)
        // Who makes room need not look for another in its place.
        #expect(connection.activity == .leaving)
        connection.pass(3)
        #expect(!connection.isOpen)
    }

    @Test func `a refused body whose length nobody said is not read to its end`() throws {
        let connection = try EmbeddedConnection(limits())
        defer { connection.finish() }
        try connection.send(Self.post("Transfer-Encoding: chunked") + "1\r\na\r\n")
        connection.answer("no")
        #expect(try connection.received().contains("Connection: close"))
        try connection.send("1\r\na\r\n")
        #expect(connection.bodies == 1)
        connection.pass(3)
        #expect(!connection.isOpen)
    }

    @Test func `a connection that may ask nothing for two seconds only is closed soon after them`() throws {
        let connection = try EmbeddedConnection(limits { $0.idle = .seconds(2) })
        defer { connection.finish() }
        connection.pass(1)
        #expect(connection.isOpen)
        connection.pass(2)
        #expect(!connection.isOpen)
    }

    @Test func `whoever closes behind an answer that ends the connection leaves it time to arrive`() throws {
        let connection = try EmbeddedConnection(limits(), isUnencrypted: true)
        defer { connection.finish() }
        try connection.send(get(0) + get(1))
        connection.refuse(.forbidden, flushes: false)
        // The other request is not answered any more.
        connection.channel.close(promise: nil)
        #expect(try connection.received().hasPrefix("HTTP/1.1 403"))
        #expect(connection.isOpen)
        connection.pass(3)
        #expect(!connection.isOpen)
    }
}
