import Foundation

/// Encodes a value directly into `JSONValue`, with the same result as parsing the output of `JSONEncoder`.
///
/// A number without a fraction becomes a whole number, `Data` becomes base 64, and a number that is not finite is an
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

    /// Converts a JSON value directly, which is much faster than encoding it through containers.
    private static func encoded(_ json: JSONValue, at path: [any CodingKey]) throws -> JSONValue {
        switch json {
        case .null, .bool, .integer, .string: json
        case .number(let number):
            if number.isFinite { json } else { throw notFinite(number, path) }
        case .array(let elements): .array(try elements.map { try encoded($0, at: path) })
        case .object(let members): .object(try members.mapValues { try encoded($0, at: path) })
        }
    }

    /// A number as `JSONEncoder` writes it and `JSONValue` parses it.
    static func number(_ value: Double, at path: [any CodingKey]) throws -> JSONValue {
        guard value.isFinite else { throw notFinite(value, path) }
        // Every whole number below this has a unique text without an exponent.
        if value.magnitude < 0x1p53 { return Int64(exactly: value).map { .integer($0) } ?? .number(value) }
        return try number(value.description)
    }

    /// A single-precision number, converted by its shortest text, which differs from its exact value in double
    /// precision.
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

/// A JSON value during encoding, which several containers can share.
final class JSONNode {
    private enum Place {
        case member(String)
        case element(Int)
    }

    private enum Content {
        case nothing
        case value(JSONValue)
        case object([String: JSONValue])
        case array([JSONValue])
    }

    private var content = Content.nothing
    /// The children that are still being encoded, with their positions.
    private var children: [(place: Place, node: JSONNode)] = []

    var count: Int {
        if case .array(let elements) = content { elements.count } else { 0 }
    }

    func becomeObject() {
        if case .nothing = content { content = .object([:]) }
    }

    func becomeArray() {
        if case .nothing = content { content = .array([]) }
    }

    func set(_ value: JSONValue) { content = .value(value) }

    func set(_ value: JSONValue, for name: String) {
        guard case .object(var members) = content else { return }
        content = .nothing
        members[name] = value
        content = .object(members)
    }

    func append(_ value: JSONValue) {
        guard case .array(var elements) = content else { return }
        content = .nothing
        elements.append(value)
        content = .array(elements)
    }

    func child(for name: String) -> JSONNode {
        let node = JSONNode()
        children.append((.member(name), node))
        return node
    }

    func child() -> JSONNode {
        let node = JSONNode()
        children.append((.element(count), node))
        append(.null)
        return node
    }

    /// The encoded value, or nil if nothing was encoded.
    func finished() -> JSONValue? {
        for (place, node) in children {
            let value = node.finished() ?? [:]
            switch place {
            case .member(let name): set(value, for: name)
            case .element(let index):
                guard case .array(var elements) = content else { continue }
                elements[index] = value
                content = .array(elements)
            }
        }
        children = []
        switch content {
        case .nothing: return nil
        case .value(let value): return value
        case .object(let members): return .object(members)
        case .array(let elements): return .array(elements)
        }
    }
}

struct JSONKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let node: JSONNode
    let codingPath: [any CodingKey]

    func encodeNil(forKey key: Key) throws { node.set(.null, for: key.stringValue) }
    func encode(_ value: Bool, forKey key: Key) throws { node.set(.bool(value), for: key.stringValue) }
    func encode(_ value: String, forKey key: Key) throws { node.set(.string(value), for: key.stringValue) }
    func encode(_ value: Int, forKey key: Key) throws { node.set(.integer(Int64(value)), for: key.stringValue) }
    func encode(_ value: Int8, forKey key: Key) throws { node.set(.integer(Int64(value)), for: key.stringValue) }
    func encode(_ value: Int16, forKey key: Key) throws { node.set(.integer(Int64(value)), for: key.stringValue) }
    func encode(_ value: Int32, forKey key: Key) throws { node.set(.integer(Int64(value)), for: key.stringValue) }
    func encode(_ value: Int64, forKey key: Key) throws { node.set(.integer(Int64(value)), for: key.stringValue) }
    func encode(_ value: UInt8, forKey key: Key) throws { node.set(.integer(Int64(value)), for: key.stringValue) }
    func encode(_ value: UInt16, forKey key: Key) throws { node.set(.integer(Int64(value)), for: key.stringValue) }
    func encode(_ value: UInt32, forKey key: Key) throws { node.set(.integer(Int64(value)), for: key.stringValue) }
    func encode(_ value: UInt, forKey key: Key) throws {
        try node.set(JSONValueEncoder.number(UInt64(clamping: value)), for: key.stringValue)
    }
    func encode(_ value: UInt64, forKey key: Key) throws {
        try node.set(JSONValueEncoder.number(value), for: key.stringValue)
    }
    func encode(_ value: Double, forKey key: Key) throws {
        node.set(try JSONValueEncoder.number(value, at: codingPath + [key]), for: key.stringValue)
    }
    func encode(_ value: Float, forKey key: Key) throws {
        node.set(try JSONValueEncoder.number(value, at: codingPath + [key]), for: key.stringValue)
    }
    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        node.set(try JSONValueEncoder.value(value, at: codingPath + [key]), for: key.stringValue)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        below(key).container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { below(key).unkeyedContainer() }

    func superEncoder() -> any Encoder { below(SuperKey()) }

    func superEncoder(forKey key: Key) -> any Encoder { below(key) }

    private func below(_ key: some CodingKey) -> JSONValueEncoder {
        JSONValueEncoder(node: node.child(for: key.stringValue), codingPath: codingPath + [key])
    }
}

/// The default member for a class to store what its superclass encodes.
private struct SuperKey: CodingKey {
    var stringValue: String { "super" }
    var intValue: Int? { nil }

    init() {}
    init?(stringValue: String) { nil }
    init?(intValue: Int) { nil }
}

struct JSONUnkeyedContainer: UnkeyedEncodingContainer {
    let node: JSONNode
    let codingPath: [any CodingKey]
    var count: Int { node.count }

    func encodeNil() throws { node.append(.null) }
    func encode(_ value: Bool) throws { node.append(.bool(value)) }
    func encode(_ value: String) throws { node.append(.string(value)) }
    func encode(_ value: Int) throws { node.append(.integer(Int64(value))) }
    func encode(_ value: Int8) throws { node.append(.integer(Int64(value))) }
    func encode(_ value: Int16) throws { node.append(.integer(Int64(value))) }
    func encode(_ value: Int32) throws { node.append(.integer(Int64(value))) }
    func encode(_ value: Int64) throws { node.append(.integer(Int64(value))) }
    func encode(_ value: UInt8) throws { node.append(.integer(Int64(value))) }
    func encode(_ value: UInt16) throws { node.append(.integer(Int64(value))) }
    func encode(_ value: UInt32) throws { node.append(.integer(Int64(value))) }
    func encode(_ value: UInt) throws { try node.append(JSONValueEncoder.number(UInt64(clamping: value))) }
    func encode(_ value: UInt64) throws { try node.append(JSONValueEncoder.number(value)) }
    func encode(_ value: Double) throws { node.append(try JSONValueEncoder.number(value, at: codingPath)) }
    func encode(_ value: Float) throws { node.append(try JSONValueEncoder.number(value, at: codingPath)) }
    func encode<Value: Encodable>(_ value: Value) throws {
        node.append(try JSONValueEncoder.value(value, at: codingPath))
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        below().container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { below().unkeyedContainer() }

    func superEncoder() -> any Encoder { below() }

    private func below() -> JSONValueEncoder { JSONValueEncoder(node: node.child(), codingPath: codingPath) }
}

struct JSONSingleContainer: SingleValueEncodingContainer {
    let node: JSONNode
    let codingPath: [any CodingKey]

    func encodeNil() throws { node.set(.null) }
    func encode(_ value: Bool) throws { node.set(.bool(value)) }
    func encode(_ value: String) throws { node.set(.string(value)) }
    func encode(_ value: Int) throws { node.set(.integer(Int64(value))) }
    func encode(_ value: Int8) throws { node.set(.integer(Int64(value))) }
    func encode(_ value: Int16) throws { node.set(.integer(Int64(value))) }
    func encode(_ value: Int32) throws { node.set(.integer(Int64(value))) }
    func encode(_ value: Int64) throws { node.set(.integer(Int64(value))) }
    func encode(_ value: UInt8) throws { node.set(.integer(Int64(value))) }
    func encode(_ value: UInt16) throws { node.set(.integer(Int64(value))) }
    func encode(_ value: UInt32) throws { node.set(.integer(Int64(value))) }
    func encode(_ value: UInt) throws { try node.set(JSONValueEncoder.number(UInt64(clamping: value))) }
    func encode(_ value: UInt64) throws { try node.set(JSONValueEncoder.number(value)) }
    func encode(_ value: Double) throws { node.set(try JSONValueEncoder.number(value, at: codingPath)) }
    func encode(_ value: Float) throws { node.set(try JSONValueEncoder.number(value, at: codingPath)) }
    func encode<Value: Encodable>(_ value: Value) throws {
        node.set(try JSONValueEncoder.value(value, at: codingPath))
    }
}
