import Foundation
import Testing
@testable import WeirCommand

struct ConnectingTests {
    @Test func `an address is kept without a slash at its end, its host in small letters`() throws {
        #expect(try ServerAddress("HTTPS://Weir.Example:8443/ops/").description == "https://weir.example:8443/ops")
        #expect(try ServerAddress("http://[::1]:8080").isLocal)
        #expect(try ServerAddress("http://127.0.0.1:8080") == .standard)
        #expect(try !ServerAddress("http://weir.example").isLocal)
    }

    @Test(arguments: [
        "", "weir.example", "ftp://weir.example", "https://", "https://ana:secret@weir.example",
        "https://weir.example?x=1",
        "https://weir.example#x", "https://weir.example:99999", "http://a b",
    ])
    func `what is no address is refused with a remedy`(text: String) {
        let error = #expect(throws: ClientError.self) { try ServerAddress(text) }
        #expect(error?.exitCode == 78)
        #expect(error?.description.contains("secret") == false)
    }

    private func connection(
        _ options: ServerConnection.Options = .init(), _ environment: [String: String] = [:],
        _ profiles: Profiles = .init()
    ) throws -> ServerConnection {
        try ServerConnection(options, environment: environment, profiles: profiles)
    }

    @Test func `an option counts before the environment, and that before the profile`() throws {
        var profiles = Profiles()
        profiles.add(try ServerAddress("https://a.example"), .init(token: "of-a", authority: "/ca.pem"))
        #expect(try connection() == connection(.init(server: "http://127.0.0.1:8080")))
        #expect(try connection(.init(), [:], profiles).token == "of-a")
        #expect(try connection(.init(), [:], profiles).authority == "/ca.pem")
        #expect(try connection(.init(), ["WEIR_SERVER": "https://b.example"], profiles).address.host == "b.example")
        #expect(
            try connection(.init(server: "https://c.example"), ["WEIR_SERVER": "https://b.example"], profiles).address
                .host
                == "c.example")
        #expect(try connection(.init(token: "given"), ["WEIR_TOKEN": "set"], profiles).token == "given")
        #expect(try connection(.init(), ["WEIR_TOKEN": "set", "WEIR_SERVER": ""], profiles).token == "set")
    }

    @Test func `the token of one server is never sent to another`() throws {
        var profiles = Profiles()
        profiles.add(try ServerAddress("https://a.example"), .init(token: "of-a"))
        #expect(try connection(.init(server: "https://a.example.evil"), [:], profiles).token == nil)
        #expect(try connection(.init(server: "http://a.example"), [:], profiles).token == nil)
        #expect(try connection(.init(server: "https://a.example/"), [:], profiles).token == "of-a")
    }

    @Test func `a token is one line of visible characters`() throws {
        #expect(try ServerConnection.checked("weir_abc\nmore") == "weir_abc")
        #expect(try ServerConnection.checked("weir_abc\r\n") == "weir_abc")
        for text in ["", "\n", "a\u{7}b", "é", String(repeating: "x", count: 2_000)] {
            #expect(throws: ClientError.self) { try ServerConnection.checked(text) }
        }
    }

    @Test func `profiles are read as they were written, by their owner alone`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "weir-profiles-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = ProfileFile(in: folder)
        #expect(try file.read() == Profiles())
        var profiles = Profiles()
        profiles.add(try ServerAddress("https://a.example"), .init(token: "t"))
        try file.write(profiles)
        #expect(try file.read() == profiles)
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
        let error = #expect(throws: ClientError.self) { try file.read() }
        #expect(error?.description.contains("chmod 600") == true)
        let address = try ServerAddress("https://a.example")
        let first = profiles.remove(address)
        let second = profiles.remove(address)
        #expect(first && !second && profiles.current == nil)
    }

    @Test func `the user's folders are those of the XDG specification`() {
        let folders = UserFolders(environment: [
            "XDG_CONFIG_HOME": "/c", "HOME": "/home/ana", "XDG_STATE_HOME": "relative",
        ])
        #expect(folders.settings.path == "/c/weir")
        #expect(folders.state.path == "/home/ana/.local/state/weir")
    }

    @Test func `waits grow up to ten seconds, and start anew after a success`() {
        var (backoff, generator) = (Backoff(), SystemRandomNumberGenerator())
        let waits = (0..<12).map { _ in backoff.next(using: &generator) }
        #expect(waits[0] <= .seconds(0.25))
        #expect(waits.allSatisfy { $0 > .zero && $0 <= .seconds(10) })
        #expect(waits[11] >= .seconds(5))
        #expect(backoff.next(asked: 30, using: &generator) == .seconds(30))
        #expect(backoff.next(asked: .max, using: &generator) == .seconds(60))
        backoff.reset()
        #expect(backoff.next(using: &generator) <= .seconds(0.25))
    }
}
