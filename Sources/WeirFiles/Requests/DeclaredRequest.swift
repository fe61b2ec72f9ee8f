import WeirOperations
import WeirStandard
import WeirStates

struct DeclaredRequest: Sendable {
    enum Body: Sendable {
        case text(TextTemplate)
        case json(JSONTemplate)
        case form([(name: String, value: TextTemplate)])
    }

    let method: String
    let url: TextTemplate
    let headers: [(name: String, value: TextTemplate)]
    let body: Body?
    /// The statuses of success, or empty for 200 to 299.
    let statuses: Set<Int>
    let timeout: Duration
    let values: [DeclaredValue]
}

struct DeclaredFeed: Sendable {
    let url: String
    let every: Duration
    /// Whether it is polled without viewers.
    let isAlways: Bool
    let show: TextTemplate?
    let values: [DeclaredValue]
}

extension DeclaredRequest {
    /// The request of one run; throws `OperationFailure` that names the unusable value.
    func outgoing(
        _ input: CommandInput, labels: [String: String], environment: OperationEnvironment
    ) throws(OperationFailure) -> OutgoingRequest {
        func label(_ template: TextTemplate) -> String {
            let name = template.fields.first ?? ""
            return labels[name] ?? name
        }
        for name in url.fields where [".", ".."].contains(input.text(name) ?? "") {
            throw OperationFailure("“\(labels[name] ?? name)” cannot be “.” or “..” in a URL. Give another value.")
        }
        let address = url.filled { PercentEncoding.encode(input.text($0) ?? "") } ?? ""
        var fields: [HeaderField] = []
        for (name, template) in headers {
            guard let value = template.filled(input.text) else { continue }
            guard value.unicodeScalars.allSatisfy({ $0.value >= 32 && $0.value != 127 || $0 == "\t" }) else {
                throw OperationFailure(
                    "“\(label(template))” holds a line break or another control character, which a header field cannot "
                        + "hold. Give another value.")
            }
            fields.append(HeaderField(name, value))
        }
        if let type = body?.contentType, !fields.contains(where: { $0.name.lowercased() == "content-type" }) {
            fields.append(HeaderField("Content-Type", type))
        }
        return OutgoingRequest(
            method, address, headers: fields, body: body?.text(input), timeout: timeout, environment: environment)
    }

    func accepts(_ status: Int) -> Bool {
        statuses.isEmpty ? (200..<300).contains(status) : statuses.contains(status)
    }
}

extension DeclaredRequest.Body {
    fileprivate var contentType: String? {
        switch self {
        case .text: nil
        case .json: "application/json"
        case .form: "application/x-www-form-urlencoded"
        }
    }

    fileprivate func text(_ input: CommandInput) -> String {
        switch self {
        case .text(let template): template.filled { input.text($0) ?? "" } ?? ""
        case .json(let template): (try? template.filled(input).text()) ?? "null"
        case .form(let members):
            members.compactMap { name, template in
                template.filled(input.text).map { "\(PercentEncoding.encode(name))=\(PercentEncoding.encode($0))" }
            }.joined(separator: "&")
        }
    }
}

/// A value of a JSON response, with its path, such as `result.items.0.name`.
struct DeclaredValue: Sendable, Hashable {
    /// The maximum length of a value in characters.
    static let limit = 1_000

    let name: String
    let path: [String]

    /// Parses a path, or returns nil if a name in it is empty.
    init?(_ name: String, path: String) {
        let parts = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.allSatisfy({ !$0.isEmpty }) else { return nil }
        self.name = name
        self.path = parts
    }

    /// The value in a response, or nil if it is absent or not a scalar.
    func value(in answer: JSONValue) -> JSONValue? {
        var value = answer
        for part in path {
            let next: JSONValue?
            switch value {
            case .object(let members): next = members[part]
            case .array: next = Int(part).flatMap(value.element(at:))
            default: next = nil
            }
            guard let next else { return nil }
            value = next
        }
        switch value {
        case .string(let text): return .string(String(text.prefix(Self.limit)))
        case .integer, .number, .bool: return value
        case .null, .array, .object: return nil
        }
    }
}

extension [DeclaredValue] {
    /// Reads the values of a response, and returns the paths without a value.
    func read(from answer: JSONValue) -> (values: [String: JSONValue], missing: [String]) {
        var values: [String: JSONValue] = [:]
        var missing: [String] = []
        for declared in self {
            if let value = declared.value(in: answer) {
                values[declared.name] = value
            } else {
                missing.append(declared.path.joined(separator: "."))
            }
        }
        return (values, missing)
    }
}

/// A JSON value with placeholders for inputs.
///
/// An input always becomes part of a single string. An input that is the whole string keeps its type, and is `null` if it has
/// no value.
indirect enum JSONTemplate: Sendable {
    case fixed(JSONValue)
    case text(TextTemplate)
    case list([JSONTemplate])
    case object([(name: String, value: JSONTemplate)])

    var templates: [TextTemplate] {
        switch self {
        case .fixed: []
        case .text(let template): [template]
        case .list(let elements): elements.flatMap(\.templates)
        case .object(let members): members.flatMap(\.value.templates)
        }
    }

    func filled(_ input: CommandInput) -> JSONValue {
        switch self {
        case .fixed(let value): return value
        case .text(let template):
            if case .field(let name) = template.parts.first, template.parts.count == 1 {
                return input.values[name] ?? .null
            }
            return .string(template.filled { input.text($0) ?? "" } ?? "")
        case .list(let elements): return .array(elements.map { $0.filled(input) })
        case .object(let members):
            return .object(Dictionary(members.map { ($0.name, $0.value.filled(input)) }) { $1 })
        }
    }
}
