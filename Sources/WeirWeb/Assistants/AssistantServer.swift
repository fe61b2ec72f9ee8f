import Foundation
package import WeirStates

/// A server of the Model Context Protocol, with tools for an assistant: lists operations, follows runs, explains failures.
///
/// One message at a time; the transport, standard input or HTTP, is the caller's. Hostile messages get JSON-RPC errors.
package struct AssistantServer: Sendable {
    /// The maximum size of a message in bytes.
    package static let messageLimit = 1_024 * 1_024

    /// The versions of the protocol, newest first; all have the same messages for tools.
    static let versions = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]

    let tools: AssistantTools
    private let version: String

    /// Creates a server that offers tools which change something only if `allowsChanges` is true.
    package init(
        version: String, allowsChanges: Bool, address: String, api: @escaping AssistantTools.API
    ) {
        tools = AssistantTools(api: api, allowsChanges: allowsChanges, address: address)
        self.version = version
    }

    /// Answers a message; returns nil for a notification or a response, which have no answer.
    ///
    /// Suspends as long as the tool does, at most a minute.
    package func answer(_ text: String) async -> JSONValue? {
        guard text.utf8.count <= Self.messageLimit else {
            return Self.failure(.null, .invalidRequest, "The message is longer than \(Self.messageLimit) bytes.")
        }
        guard let message = try? JSONValue(parsing: Data(text.utf8), keepsLargeNumbers: true) else {
            return Self.failure(.null, .parse, "The message is not JSON.")
        }
        guard let members = message.object else {
            return Self.failure(.null, .invalidRequest, "Send one JSON-RPC message at a time, as an object.")
        }
        // A response to a request; this server sends none.
        if members["method"] == nil, members["result"] != nil || members["error"] != nil { return nil }
        let id = members["id"] ?? .null
        guard members["jsonrpc"] == "2.0", let method = members["method"]?.string, Self.isID(members["id"]) else {
            return Self.failure(
                Self.isID(members["id"]) ? id : .null, .invalidRequest,
                "A message needs jsonrpc 2.0, a method, and an id that is a text or a whole number.")
        }
        guard members["id"] != nil else { return nil }
        do throws(Mistake) {
            return ["jsonrpc": "2.0", "id": id, "result": try await result(method, members["params"])]
        } catch {
            return Self.failure(id, error.code, error.text)
        }
    }

    private func result(_ method: String, _ parameters: JSONValue?) async throws(Mistake) -> JSONValue {
        switch method {
        case "initialize":
            let asked = parameters?["protocolVersion"]?.string ?? ""
            return [
                "protocolVersion": .string(Self.versions.contains(asked) ? asked : Self.versions[0]),
                "capabilities": ["tools": [:]],
                "serverInfo": ["name": "weir", "title": "Weir", "version": .string(version)],
                "instructions": .string(tools.instructions),
            ]
        case "ping": return [:]
        case "tools/list": return ["tools": .array(tools.all.map(\.json))]
        case "tools/call":
            guard let name = parameters?["name"]?.string, let tool = tools.all.first(where: { $0.name == name }) else {
                let names = tools.all.map(\.name).joined(separator: ", ")
                throw Mistake(code: .invalidParameters, text: "There is no such tool. The tools are \(names).")
            }
            let sent = parameters?["arguments"] ?? [:]
            guard case .object(let arguments) = sent else {
                throw Mistake(code: .invalidParameters, text: "The arguments of a tool are an object.")
            }
            if let mistake = tool.mistake(in: arguments) { throw Mistake(code: .invalidParameters, text: mistake) }
            return await tools.result(of: tool, AssistantTool.Arguments(members: arguments))
        default: throw Mistake(code: .unknownMethod, text: "This server has no method “\(method.prefix(100))”.")
        }
    }

    // MARK: Errors

    /// The codes of JSON-RPC 2.0.
    private enum Code: Int64 {
        case parse = -32_700
        case invalidRequest = -32_600
        case unknownMethod = -32_601
        case invalidParameters = -32_602
    }

    private struct Mistake: Error {
        let code: Code
        let text: String
    }

    private static func isID(_ id: JSONValue?) -> Bool {
        switch id {
        case nil, .string, .integer: true
        default: false
        }
    }

    private static func failure(_ id: JSONValue, _ code: Code, _ text: String) -> JSONValue {
        [
            "jsonrpc": "2.0", "id": id,
            "error": ["code": .integer(code.rawValue), "message": .string(text)],
        ]
    }
}
