import Foundation
import NIOCore
import Testing

@testable import WeirWeb

@Suite(.timeLimit(.minutes(15)))
struct AssetLibraryTests {
    /// A folder with these files, for as long as the closure runs.
    private static func withFolder(_ files: [String: String], _ use: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (path, text) in files {
            let file = folder.appending(path: path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        try await use(folder)
    }

    @Test func `a page names its files by their content, so that they are kept for good`() async throws {
        var configuration = WebConfiguration()
        configuration.mountPath = "/ops"
        try await TestServer.run(configuration: configuration) { server in
            let page = try await server.ask("GET", "/ops/").text
            let folder = "/ops/assets/" + server.dashboard.services.assets.folder
            for address in ["src=\"\(folder)/weir.js\"", "href=\"\(folder)/weir.css\"", "href=\"\(folder)/icons/"] {
                #expect(page.contains(address), "\(address)")
            }
            #expect(!page.contains("/assets/weir"))
            for file in ["weir.js", "weir.css", "page/palette.js", "icons/ok.svg"] {
                let answer = try await server.ask("GET", "\(folder)/\(file)")
                #expect(answer.status == 200)
                #expect(answer["cache-control"] == "public, max-age=31536000, immutable")
            }
        }
    }

    @Test func `a page from before an upgrade gets the present files, kept by no cache`() async throws {
        try await TestServer.run { server in
            for folder in ["@0123456789abcdef/", ""] {
                let answer = try await server.ask("GET", "/assets/\(folder)page/palette.js")
                #expect(answer.status == 200)
                #expect(answer["cache-control"] == "public, no-cache")
                #expect(answer["etag"] != nil)
            }
            #expect(try await server.ask("GET", "/assets/@0123456789abcdef/nothing.js").status == 404)
            #expect(try await server.ask("GET", "/assets/@0123456789abcdef").status == 404)
        }
    }

    @Test func `a folder laid over the files changes their name, and only with its content`() async throws {
        let bundled = try AssetLibrary(overlay: nil).folder
        #expect(try AssetLibrary(overlay: nil).folder == bundled)
        var names: Set<String> = [bundled]
        for files in [["weir.css": "a"], ["weir.css": "b"], ["logo.svg": "a"], ["logo.svg": "a", "weir.css": "a"]] {
            try await Self.withFolder(files) { names.insert(try AssetLibrary(overlay: $0).folder) }
        }
        #expect(names.count == 5)
    }

    @Test func `scripts stay apart where somebody's own takes the place of one`() async throws {
        try await Self.withFolder(["feed/claims.js": "export default 1;", "own.js": "1;"]) { folder in
            let library = try AssetLibrary(overlay: folder)
            func text(_ path: [String]) throws -> String { String(buffer: try #require(library[path]).asset.bytes) }
            #expect(try text(["feed", "claims.js"]) == "export default 1;")
            #expect(try text(["weir.js"]).contains("import { goLive } from \"./feed/live.js\";"))
        }
        try await Self.withFolder(["own.js": "/** mine */ import { keep } from \"./feed/claims.js\";"]) { folder in
            let library = try AssetLibrary(overlay: folder)
            func text(_ path: [String]) throws -> String { String(buffer: try #require(library[path]).asset.bytes) }
            #expect(try text(["own.js"]).hasPrefix("/** mine */"))
            #expect(try text(["weir.js"]).contains("const $feed_claims = "))
            #expect(try text(["feed", "claims.js"]).contains("from \"../weir.js\""))
        }
    }

    @Test func `files are compressed for whoever takes them so, and caches know`() async throws {
        try await TestServer.run { server in
            let path = "/assets/\(server.dashboard.services.assets.folder)/weir.css"
            let plain = try await server.ask("GET", path)
            let small = try await server.ask("GET", path, headers: ["Accept-Encoding: gzip, deflate, br"])
            #expect(plain["content-encoding"] == nil)
            #expect(small["content-encoding"] == "gzip")
            #expect(small.body.count * 3 < plain.body.count)
            #expect(try gunzip(small.body) == plain.body)
            #expect([plain["vary"], small["vary"]] == ["Accept-Encoding", "Accept-Encoding"])
            #expect(plain["etag"] != small["etag"])
            let tag = try #require(small["etag"])
            let known = ["Accept-Encoding: gzip", "If-None-Match: " + tag]
            #expect(try await server.ask("GET", path, headers: known).status == 304)
            #expect(try await server.ask("GET", path, headers: ["If-None-Match: " + tag]).status == 200)
        }
    }

    @Test func `what a first load takes of scripts and styles stays within its budget`() throws {
        let library = try AssetLibrary(overlay: nil)
        func size(_ paths: [[String]]) throws -> Int {
            try paths.map { try #require(library[$0]?.asset.compressed).readableBytes }.reduce(0, +)
        }
        let first = [["weir.js"], ["weir.css"]]
        #expect(try size(first) <= 26_624)
        #expect(try size(first + [["ansi.css"], ["page", "output.js"]]) <= 30_720, "a run with output")
        #expect(try size(first + [["page", "forms.js"]]) <= 30_720, "a form")
    }
}
