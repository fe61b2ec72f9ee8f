import Foundation
import NIOHTTP1
import WeirOperations
import WeirStates

struct RunStart: Sendable {
    private let client: ServerClient
    private let clock: any Clock<Duration>

    init(_ client: ServerClient, clock: any Clock<Duration> = ContinuousClock()) {
        self.client = client
        self.clock = clock
    }

    /// Starts a run and returns it as the API describes it.
    ///
    /// Without a file, the request has an idempotency key, so a retry after a failure starts no second run. `standardInput`
    /// reads the value of `@-`.
    func run(
        _ operation: String, _ arguments: InputArguments, standardInput: () -> Data
    ) async throws(ClientError) -> JSONValue {
        let description = try await client.succeed(get: ["operations", operation]).body
        let known = description?["fields"]?.array ?? []
        let several = known.filter { $0["kind"]?.string == "choices" }.compactMap { $0["name"]?.string }
        try arguments.check(against: known.compactMap { $0["name"]?.string }, several: several)
        let form = try form(arguments, known, standardInput)
        guard let file = form.file else { return try await start(operation, .form(form.fields)) }
        let upload = try UploadBody(
            fields: form.fields, file: file.name, path: file.path, boundary: "weir-\(UUID().uuidString)")
        return try await run(of: client.succeed(.POST, ["operations", operation, "runs"], content: .upload(upload)))
    }

    /// A form, whose values the server converts, and the file to upload with it.
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
        // In a form absent checkboxes are unchecked, but an omitted argument means the default.
        for field in known {
            guard let name = field["name"]?.string, let standard = field["default"], standard != false,
                ["boolean", "choices"].contains(field["kind"]?.string),
                !arguments.fields.contains(where: { $0.name == name })
            else { continue }
            form.fields.append((name, standard.formText))
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

    /// The text of a field, without one trailing newline of a file.
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

/// The input of a run from the command line.
///
/// `name=value`, `name=@file`, `name=@-` for standard input, and `name=@@value` for a value that begins with `@`. Pure.
struct InputArguments: Sendable, Hashable {
    enum Source: Sendable, Hashable {
        case text(String)
        case file(String)
        case standardInput
    }

    let fields: [Field]

    struct Field: Sendable, Hashable {
        let name: String
        let source: Source
    }

    init(_ words: [String]) throws(ClientError) {
        var fields: [Field] = []
        for word in words {
            guard let equals = word.firstIndex(of: "="), equals > word.startIndex else {
                throw ClientError(
                    .refused, "“\(VisibleText.line(word))” is not an input. Write name=value, such as database=orders.")
            }
            let name = String(word[..<equals])
            fields.append(Field(name: name, source: Self.source(word[word.index(after: equals)...])))
        }
        self.fields = fields
    }

    private static func source(_ value: Substring) -> Source {
        if value == "@-" { return .standardInput }
        if value.hasPrefix("@@") { return .text(String(value.dropFirst())) }
        if value.hasPrefix("@") { return .file(String(value.dropFirst())) }
        return .text(String(value))
    }

    /// Throws if a field is not one of the operation's, or is given twice and does not take several values.
    func check(against known: [String], several: [String] = []) throws(ClientError) {
        var names: Set<String> = []
        for field in fields where !names.insert(field.name).inserted && !several.contains(field.name) {
            throw ClientError(.refused, "“\(VisibleText.line(field.name))” is given twice. Give each input once.")
        }
        guard let stranger = fields.first(where: { !known.contains($0.name) }) else { return }
        let list = known.isEmpty ? "It takes no input." : "Its fields are \(known.joined(separator: ", "))."
        throw ClientError(.refused, "The operation has no field “\(VisibleText.line(stranger.name))”. \(list)")
    }
}

enum RunEnding {
    /// Cancels a run and returns it as the API describes it; throws `ClientError` if the run has ended.
    static func cancel(_ run: String, at client: ServerClient) async throws(ClientError) -> JSONValue {
        try await client.succeed(.POST, ["runs", run, "cancellation"]).body ?? [:]
    }

    /// Deletes an ended run; throws `ClientError` if it cannot be deleted.
    static func delete(_ run: String, at client: ServerClient) async throws(ClientError) {
        _ = try await client.succeed(.DELETE, ["runs", run])
    }
}
