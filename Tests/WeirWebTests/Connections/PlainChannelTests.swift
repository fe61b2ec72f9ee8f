import NIOCore
import Testing
import WeirBoards
import WeirJournals
import WeirStates

@testable import WeirWeb

@Suite(.timeLimit(.minutes(15)))
struct PlainChannelTests {
    @Test func `a connection that only follows a page has no task until a request of another kind comes`() async throws
    {
        try await TestServer.run { server in
            let viewer = try await server.connect()
            var url = try server.tail()
            for _ in 0..<3 {
                try await viewer.send("GET", url)
                _ = try await server.start()
                url = try #require(try await viewer.response().json()["next"]?.string)
            }
            #expect(server.tasks.begun == 0)
            for _ in 0..<2 {
                try await viewer.send("GET", "/health/live")
                #expect(try await viewer.response().status == 200)
            }
            #expect(server.tasks.begun == 1)
            try await viewer.send("GET", try server.tail())
            try await server.untilHeld(1)
            await viewer.close()
            try await server.untilHeld(0)
        }
    }

    @Test func `what comes first is read in few bytes, and what follows in more the more there is`() {
        var reads = UnpooledReads()
        let allocator = ByteBufferAllocator()
        var sizes: [Int] = []
        for _ in 0..<9 {
            let size = reads.buffer(allocator: allocator).capacity
            sizes.append(size)
            _ = reads.record(actualReadBytes: size)
        }
        #expect(sizes.first == 16 && sizes.last == 65_536)
    }

    @Test func `an answer that is encoded for all has the fields of one that is encoded for one`() async throws {
        try await TestServer.run { server in
            let viewer = try await server.connect()
            let url = try server.tail()
            try await viewer.send("GET", url)
            try await server.untilHeld(1)
            _ = try await server.start()
            let held = try await viewer.response()
            let direct = try await server.ask("GET", url, headers: ["Connection: close"])
            #expect(direct["connection"] == "close")
            #expect(Set(held.headers.keys).union(["connection"]) == Set(direct.headers.keys))
            for name in [
                "content-type", "cache-control", "x-content-type-options", "referrer-policy",
            ] {
                #expect(held[name] == direct[name])
            }
            #expect(try held.json()["k"] == "batch")
        }
    }

    @Test func `what is not HTTP behind a held poll is refused, and ends the connection`() async throws {
        try await TestServer.run { server in
            let viewer = try await server.connect()
            try await viewer.send("GET", try server.tail())
            try await server.untilHeld(1)
            try await viewer.send(raw: "this is\r\nnot HTTP\r\n\r\n")
            #expect(try await viewer.response().status == 400)
            #expect(await viewer.isEnded())
            try await server.untilHeld(0)
            #expect(server.tasks.begun == 0)
        }
    }

    @Test func `a connection without a task ends with the server`() async throws {
        try await TestServer.run { server in
            let viewer = try await server.connect()
            try await viewer.send("GET", "/live/1/board/x/0/0")
            #expect(try await viewer.response().status == 200)
            #expect(server.tasks.begun == 0)
            await server.shutDown()
            #expect(await viewer.isEnded())
        }
    }

    @Test func `a server runs until the last connection is over`() async throws {
        let registry = Shared<ConnectionRegistry?>(nil)
        try await TestServer.run { server in
            registry.value = server.registry
            for _ in 0..<20 { try await server.connect().send("GET", try server.tail()) }
            try await server.untilHeld(20)
        }
        #expect(registry.value?.count == 0)
    }
}
