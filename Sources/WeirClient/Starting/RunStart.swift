package import Foundation
import NIOHTTP1
package import States

/// Starts a run of an operation.
package struct RunStart: Sendable {
    private let client: ServerClient
    private let clock: any Clock<Duration>

    package init(_ client: ServerClient, clock: any Clock<Duration> = ContinuousClock()) {
        self.client = client
        self.clock = clock
    }

    /// Starts it, and returns the run as the API has it.
    ///
    /// Without a file the request carries a key, so that it is sent again after a failure and still starts one run.
    /// - Parameters:
    ///   - operation: The operation's id.
    ///   - arguments: Its input.
    ///   - standardInput: Reads what `@-` stands for.
    /// - Throws: `ClientError`.
    package func run(
        _ operation: String, _ arguments: InputArguments, standardInput: () -> Data
    ) async throws(ClientError) -> JSONValue {
        let description = try await client.succeed(get: ["operations", operation]).body
        let kinds = (description?["fields"]?.array ?? []).compactMap { field in
            field["name"]?.string.map { ($0, field["kind"]?.string ?? "text") }
        }
        try arguments.check(against: kinds.map(\.0))
        let files = Set(kinds.filter { $0.1 == "file" }.map(\.0))
        var fields: [(name: String, value: String)] = []
        var file: (name: String, path: String)?
        for field in arguments.fields {
            switch field.source {
            case .file(let path) where files.contains(field.name): file = (field.name, path)
            case .text, .standardInput:
                if files.contains(field.name) {
                    throw ClientError(.refused, "“\(field.name)” takes a file. Write \(field.name)=@FILE.")
                }
                fields.append((field.name, try text(field, standardInput)))
            case .file: fields.append((field.name, try text(field, standardInput)))
            }
        }
        // A form in which a box is missing says no; who left it out wants what the operation does by itself.
        for field in description?["fields"]?.array ?? [] {
            guard field["kind"]?.string == "boolean", field["default"]?.bool == true, let name = field["name"]?.string,
                !fields.contains(where: { $0.name == name })
            else { continue }
            fields.append((name, "true"))
        }
        guard let file else { return try await start(operation, .form(fields)) }
        let upload = try FileUpload(
            fields: fields, file: file.name, path: file.path, boundary: "weir-\(UUID().uuidString)")
        return try await run(of: client.succeed(.POST, ["operations", operation, "runs"], content: .upload(upload)))
    }

    private func start(_ operation: String, _ content: ServerClient.Content) async throws(ClientError) -> JSONValue {
        let key = UUID().uuidString
        var (backoff, generator) = (Backoff(), SystemRandomNumberGenerator())
        var attempts = 0
        while true {
            do throws(ClientError) {
                return try run(
                    of: try await client.succeed(
                        .POST, ["operations", operation, "runs"], headers: [("Idempotency-Key", key)],
                        content: content))
            } catch {
                attempts += 1
                guard error.isTemporary, attempts < 4 else { throw error }
                let pause = backoff.next(asked: error.retryAfter, using: &generator)
                do { try await clock.sleep(for: pause) } catch {
                    throw ClientError(transport: error, to: client.address)
                }
            }
        }
    }

    private func run(of answer: ServerAnswer) throws(ClientError) -> JSONValue {
        guard let run = answer.body, run["id"]?.string != nil else {
            throw ClientError(.foreign, "What answers at \(client.address) is not a Weir server. Check the address.")
        }
        return run
    }

    /// The value of a field that is text; the line end at the end of a file is not part of it.
    private func text(_ field: InputArguments.Field, _ standardInput: () -> Data) throws(ClientError) -> String {
        let data: Data
        switch field.source {
        case .text(let text): return text
        case .standardInput: data = standardInput()
        case .file(let path):
            guard let read = FileManager.default.contents(atPath: path) else { throw InputArguments.unreadable(path) }
            data = read
        }
        guard let text = String(validating: data, as: UTF8.self) else {
            throw ClientError(.refused, "What “\(field.name)” is read from is not UTF-8 text.")
        }
        return text.hasSuffix("\r\n") || text.hasSuffix("\n") ? String(text.dropLast()) : text
    }
}
