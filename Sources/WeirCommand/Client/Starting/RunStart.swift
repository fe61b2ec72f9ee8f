package import Foundation
import NIOHTTP1
package import WeirStates

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
    /// - Returns: The run, as the API has it.
    /// - Throws: `ClientError`.
    package func run(
        _ operation: String, _ arguments: InputArguments, standardInput: () -> Data
    ) async throws(ClientError) -> JSONValue {
        let description = try await client.succeed(get: ["operations", operation]).body
        let known = description?["fields"]?.array ?? []
        try arguments.check(against: known.compactMap { $0["name"]?.string })
        let form = try form(arguments, known, standardInput)
        guard let file = form.file else { return try await start(operation, .form(form.fields)) }
        let upload = try UploadBody(
            fields: form.fields, file: file.name, path: file.path, boundary: "weir-\(UUID().uuidString)")
        return try await run(of: client.succeed(.POST, ["operations", operation, "runs"], content: .upload(upload)))
    }

    /// What is sent: a form, whose values the server converts, and the file that goes with it.
    private struct Form {
        var fields: [(name: String, value: String)] = []
        var file: (name: String, path: String)?
    }

    private func form(
        _ arguments: InputArguments, _ known: [JSONValue], _ standardInput: () -> Data
    ) throws(ClientError) -> Form {
        var form = Form()
        let files = known.filter { $0["kind"]?.string == "file" }.compactMap { $0["name"]?.string }
        for field in arguments.fields {
            if !files.contains(field.name) {
                form.fields.append((field.name, try text(field, standardInput)))
            } else if case .file(let path) = field.source {
                form.file = (field.name, path)
            } else {
                throw ClientError(.refused, "“\(field.name)” takes a file. Write \(field.name)=@FILE.")
            }
        }
        // A form in which a box is missing says no; who left it out wants what the operation does by itself.
        for field in known where field["kind"]?.string == "boolean" && field["default"]?.bool == true {
            guard let name = field["name"]?.string, !arguments.fields.contains(where: { $0.name == name }) else {
                continue
            }
            form.fields.append((name, "true"))
        }
        return form
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
