/// The members of an object that is being encoded.
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

/// The member under which a class stores what its superclass encodes, unless it names another.
private struct SuperKey: CodingKey {
    var stringValue: String { "super" }
    var intValue: Int? { nil }

    init() {}
    init?(stringValue: String) { nil }
    init?(intValue: Int) { nil }
}
