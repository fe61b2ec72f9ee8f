import WeirOperations
import WeirStandard
import WeirStates

extension DefinitionReader {
    /// The header fields that a request sets itself.
    private static let ownHeaders: Set = [
        "host", "content-length", "transfer-encoding", "connection", "upgrade", "te", "trailer", "expect",
    ]

    /// Reads the request of an operation of the type `http`.
    mutating func request(_ root: FileValue) -> DeclaredRequest? {
        refuse(
            root, except: ["request", "expect", "values", "retry", "succeeded", "failed"], type: "http")
        guard let value = root["request"] else {
            list.note(root["type"] ?? root, "There is nothing to send. Give a `request` with a `url`.")
            return nil
        }
        if let exit = root["succeeded"]?["exit"] {
            list.note(exit, "A request has no exit code. Write `expect: {status: [200]}` instead.")
        }
        guard let address = value["url"], let url = self.url(address) else { return nil }
        let headers = headers(value["headers"])
        let body = body(value)
        let method = value["method"]?.text ?? "GET"
        if body != nil, ["GET", "HEAD"].contains(method) {
            list.note(
                value["method"] ?? value, "A \(method) request has no body. Use `method: POST`, or remove the body.")
        }
        return DeclaredRequest(
            method: method, url: url, headers: headers, body: body,
            statuses: Set(root["expect"]?["status"]?.list?.compactMap { $0.integer.map { Int(clamping: $0) } } ?? []),
            timeout: value["timeout"]?.duration ?? .seconds(30), values: values(root["values"]))
    }

    /// Reads the feed of an operation of the type `feed`.
    mutating func feed(_ root: FileValue) -> DeclaredFeed? {
        refuse(root, except: ["url", "every", "while", "show", "values"], type: "feed")
        for name in ["inputs", "timeout", "overlap", "schedule", "retry", "triggers"] {
            root[name].map { list.note($0, "`\(name)` has no meaning for an operation of the type feed. Remove it.") }
        }
        guard let value = root["url"], let url = value.text else {
            list.note(root["type"] ?? root, "There is nothing to poll. Give a `url`.")
            return nil
        }
        if url.contains("{{") {
            list.note(value, "The address of a feed cannot hold a field. Use a fixed address.")
        } else {
            checkAddress(url, value)
        }
        let every = root["every"]?.duration ?? .seconds(60)
        if every < .seconds(1), let given = root["every"] {
            list.note(given, "A feed is polled once a second at most. Write `every: 1s` or more.")
        }
        let values = values(root["values"])
        let show = template(root["show"])
        for name in show?.fields ?? [] where !values.contains(where: { $0.name == name }) {
            let nearest = NearestName.of(name, among: values.map(\.name)).map { "Did you mean {{\($0)}}?" }
            list.note(root["show"] ?? root, "There is no value “\(name)”. \(nearest ?? "Declare it in `values`.")")
        }
        return DeclaredFeed(
            url: url, every: every, isAlways: root["while"]?.text == "always", show: show, values: values)
    }

    /// Reports members that only operations of other types have.
    private mutating func refuse(_ root: FileValue, except names: Set<String>, type: String) {
        let others = Set(OperationKeys.requests.map(\.name)).union(OperationKeys.programNames).subtracting(names)
        for member in root.members ?? [] where others.contains(member.name) {
            list.note(
                member.place, "`\(member.name)` has no meaning for an operation of the type \(type). Remove it.")
        }
    }

    /// Reports members of requests in an operation without one.
    mutating func refuseRequests(_ root: FileValue) {
        for member in root.members ?? [] where OperationKeys.requests.contains(where: { $0.name == member.name }) {
            let type = ["request", "expect"].contains(member.name) ? "http" : "feed"
            list.note(member.place, "`\(member.name)` belongs to another type. Write `type: \(type)`, or remove it.")
        }
    }

    // MARK: Parts of a request

    private mutating func url(_ value: FileValue) -> TextTemplate? {
        guard let template = template(value) else { return nil }
        for name in template.fields {
            guard let field = fields[name] else {
                noteUnknown(name, value)
                continue
            }
            if field.isSecret {
                list.note(
                    value,
                    "The secret “\(name)” cannot stand in a URL, which servers and proxies log. Put it into `headers` or "
                        + "the body.")
            }
        }
        if case .text(let start) = template.parts.first, let scheme = start.firstRange(of: "://"),
            template.fields.isEmpty || start[scheme.upperBound...].contains(where: { "/?".contains($0) })
        {
            checkAddress(template.filled { _ in "x" } ?? "", value)
        } else if !template.fields.isEmpty {
            list.note(
                value, "Scheme and host of a URL cannot hold a field. Begin with a fixed one: https://example.com/…")
        } else {
            checkAddress(value.text ?? "", value)
        }
        return template
    }

    private mutating func checkAddress(_ url: String, _ value: FileValue) {
        if let sentence = OutgoingAddress.mistake(in: url) { list.note(value, sentence) }
    }

    private mutating func headers(_ value: FileValue?) -> [(name: String, value: TextTemplate)] {
        var headers: [(name: String, value: TextTemplate)] = []
        for member in value?.members ?? [] {
            let isToken =
                !member.name.isEmpty && member.name.utf8.count <= 200
                && member.name.utf8.allSatisfy { byte in
                    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte)
                        || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                }
            if !isToken {
                list.note(member.place, "“\(member.name.prefix(40))” cannot be the name of a header field.")
            } else if Self.ownHeaders.contains(member.name.lowercased()) {
                list.note(member.place, "The header field \(member.name) is set by Weir itself. Remove it.")
            }
            guard let template = input(member.value) else { continue }
            headers.append((member.name, template))
        }
        return headers
    }

    private mutating func body(_ value: FileValue) -> DeclaredRequest.Body? {
        let given = ["json", "form", "body"].filter { value[$0] != nil }
        if given.count > 1, let last = given.last.flatMap({ value[$0] }) {
            list.note(last, "A request has one body: `json`, `form` or `body`. Remove the others.")
        }
        if let json = value["json"] { return .json(self.json(json)) }
        if let form = value["form"] {
            return .form((form.members ?? []).compactMap { member in input(member.value).map { (member.name, $0) } })
        }
        guard let body = value["body"], let template = input(body) else { return nil }
        if !template.fields.isEmpty, let first = body.text?.first(where: { !$0.isWhitespace }), "{[".contains(first) {
            list.note(body, "A field in JSON text could change what it means. Write the body under `json` instead.")
        }
        return .text(template)
    }

    private mutating func json(_ value: FileValue) -> JSONTemplate {
        switch value.content {
        case .list(let elements): return .list(elements.map { json($0) })
        case .mapping(let members): return .object(members.map { ($0.name, json($0.value)) })
        case .text(let text, let isQuoted):
            if !isQuoted, let fixed = Self.scalar(text) { return .fixed(fixed) }
            return input(value).map { .text($0) } ?? .fixed(.string(text))
        }
    }

    /// Interprets an unquoted scalar as JSON.
    private static func scalar(_ text: String) -> JSONValue? {
        switch text {
        case "", "null": .null
        case "true": .bool(true)
        case "false": .bool(false)
        default: JSONValue(unquotedNumber: text)
        }
    }

    /// A text with inputs, including secrets.
    private mutating func input(_ value: FileValue) -> TextTemplate? { template(value, "request", secrets: true) }

    private mutating func values(_ value: FileValue?) -> [DeclaredValue] {
        (value?.members ?? []).compactMap { member in
            guard Shape.isName(member.name, limit: 40) else {
                list.note(
                    member.place, "“\(member.name.prefix(40))” cannot be the name of a value: use letters and digits.")
                return nil
            }
            guard let declared = DeclaredValue(member.name, path: member.value.text ?? "") else {
                list.note(
                    member.value, "A path is made of names with a point between them, such as result.items.0.name.")
                return nil
            }
            return declared
        }
    }
}

enum OutgoingAddress {
    /// Describes why an address is invalid, or returns nil.
    static func mistake(in url: String) -> String? {
        do throws(HTTPFailure) {
            _ = try HTTPTarget(url)
            return nil
        } catch {
            return error.description
        }
    }
}
