import Foundation
import HTTPTypes
import Testing
import WeirAccess
import WeirJournals
import WeirStates

@testable import WeirWeb

/// The table of the API, and its description in OpenAPI.
@Suite(.timeLimit(.minutes(15)))
struct APIDescriptionTests {
    private static let document = APIDescription.document(mount: MountPath("/"))

    private func strings(_ value: JSONValue, at name: String) -> [String] {
        switch value {
        case .object(let members):
            members.flatMap {
                ($0.key == name ? [$0.value.string].compactMap { $0 } : []) + strings($0.value, at: name)
            }
        case .array(let elements): elements.flatMap { strings($0, at: name) }
        default: []
        }
    }

    /// `WEIR_RECORD_SNAPSHOTS=1` writes the file.
    @Test func `the description in the documentation is that of the table`() throws {
        let file = URL(filePath: #filePath).appending(path: "../../../../Documentation/openapi.json").standardized
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let text = String(decoding: try encoder.encode(Self.document), as: UTF8.self) + "\n"
        if ProcessInfo.processInfo.environment["WEIR_RECORD_SNAPSHOTS"] == "1" {
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(try JSONValue(parsing: String(contentsOf: file, encoding: .utf8)) == Self.document)
    }

    @Test func `each path of the table leads to its own resource, and no other hides it`() throws {
        for resource in APIResource.table {
            let segments = resource.path.split(separator: "/").map { $0.hasPrefix("{") ? "x-1" : String($0) }
            let route = try #require(APIRoute(segments[...]))
            #expect(route.resource == resource)
            #expect(route.values.allSatisfy { $0 == "x-1" })
        }
        #expect(APIRoute(["runs", "r", "artifacts", "a", "b.txt"])?.part == "a/b.txt")
        #expect(APIRoute(["runs", "r", "output", "x"]) == nil && APIRoute([]) == nil)
    }

    @Test func `the description has every method, each under a name of its own, and refers to what it has`() throws {
        let paths = try #require(Self.document["paths"]?.object)
        var names: [String] = []
        for resource in APIDescription.resources {
            for method in resource.methods {
                let operation = paths["/" + resource.path]?[method.method.rawValue.lowercased()]
                names.append(try #require(operation?["operationId"]?.string))
            }
        }
        #expect(Set(names).count == names.count)
        for reference in strings(Self.document, at: "$ref") {
            var value: JSONValue? = Self.document
            for part in reference.dropFirst(2).split(separator: "/") { value = value?[String(part)] }
            #expect(value != nil, "\(reference)")
        }
    }

    @Test func `the table has what the responder for accounts answers, with the same rights`() throws {
        for resource in APIResource.accounts {
            let segments = resource.path.split(separator: "/").map { $0.hasPrefix("{") ? "x-1" : String($0) }
            let described = try #require(APIRoute(segments[...], in: APIResource.accounts))
            let route = try #require(AccountRoute(["api", "v1"] + segments))
            #expect(Set(route.methods) == Set(described.methods), "\(resource.path)")
            #expect(route.requirement == described.requirement, "\(resource.path)")
        }
    }

    @Test func `the server shows the description, below its mount, and a page of it`() async throws {
        try await TestServer.run { server in
            let answer = try await server.ask("GET", "/api/v1/openapi.json")
            #expect(answer.status == 200)
            #expect(try answer.json() == Self.document)
            let page = try await server.ask("GET", "/api", headers: ["Accept: text/html"])
            #expect(page.status == 200)
            for resource in APIResource.table { #expect(page.text.contains("/api/v1/\(resource.path)<")) }
        }
    }

    @Test func `an audit of a feed is that of an output, and no head is an export`() throws {
        let output = try #require(APIRoute(["streams", "output-r"]))
        let board = try #require(APIRoute(["streams", "board"]))
        let export = try #require(APIRoute(["runs", "export"]))
        #expect(output.auditAction(.get) == .readOutput && output.auditAction(.head) == .readOutput)
        #expect(board.auditAction(.get) == nil)
        #expect(export.auditAction(.get) == .export && export.auditAction(.head) == nil)
    }
}
