import Foundation

/// Encodes a value directly into `JSONValue`, with the same result as encoding it with `JSONEncoder` and parsing the
/// text.
///
/// A number without a fraction becomes a whole number, `Data` becomes base64, and a number that is not finite is an
/// error.
struct JSONValueEncoder: Encoder {
    let node: JSONNode
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        node.becomeObject()
        return KeyedEncodingContainer(JSONKeyedContainer<Key>(node: node, codingPath: codingPath))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        node.becomeArray()
        return JSONUnkeyedContainer(node: node, codingPath: codingPath)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        JSONSingleContainer(node: node, codingPath: codingPath)
    }

    /// The JSON value of an encodable value.
    static func value<Value: Encodable>(_ value: Value, at path: [any CodingKey] = []) throws -> JSONValue {
        if Value.self == Data.self, let data = value as? Data { return .string(data.base64EncodedString()) }
        if Value.self == URL.self, let url = value as? URL { return .string(url.absoluteString) }
        if Value.self == Decimal.self, let decimal = value as? Decimal { return try number("\(decimal)") }
        if Value.self == JSONValue.self, let json = value as? JSONValue { return try encoded(json, at: path) }
        let node = JSONNode()
        try value.encode(to: JSONValueEncoder(node: node, codingPath: path))
        guard let finished = node.finished() else {
            throw EncodingError.invalidValue(
                value, .init(codingPath: path, debugDescription: "\(Value.self) encoded nothing."))
        }
        return finished
    }

    /// A JSON value as it would be encoded container by container, which takes far longer.
    private static func encoded(_ json: JSONValue, at path: [any CodingKey]) throws -> JSONValue {
        switch json {
        case .null, .bool, .integer, .string: json
        case .number(let value): try number(value, at: path)
        case .array(let elements): .array(try elements.map { try encoded($0, at: path) })
        case .object(let members): .object(try members.mapValues { try encoded($0, at: path) })
        }
    }

    /// A number as `JSONEncoder` writes it and `JSONValue` reads it.
    static func number(_ value: Double, at path: [any CodingKey]) throws -> JSONValue {
        guard value.isFinite else { throw notFinite(value, path) }
        // Every whole number below this has a text of its own without an exponent.
        if value.magnitude < 0x1p53 { return Int64(exactly: value).map { .integer($0) } ?? .number(value) }
        return try number(value.description)
    }

    /// A number of single precision.
    ///
    /// Its shortest text counts, which is another number in double precision.
    static func number(_ value: Float, at path: [any CodingKey]) throws -> JSONValue {
        guard value.isFinite else { throw notFinite(value, path) }
        return try number(value.description)
    }

    static func number(_ value: UInt64) throws -> JSONValue {
        try Int64(exactly: value).map { .integer($0) } ?? number(value.description)
    }

    private static func number(_ text: String) throws -> JSONValue {
        try JSONValue(parsing: text.hasSuffix(".0") ? String(text.dropLast(2)) : text)
    }

    private static func notFinite(_ value: some Any, _ path: [any CodingKey]) -> EncodingError {
        .invalidValue(value, .init(codingPath: path, debugDescription: "\(value) cannot be written as JSON."))
    }
}
