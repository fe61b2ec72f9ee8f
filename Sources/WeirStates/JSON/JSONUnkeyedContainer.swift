/// The elements of a list that is being encoded.
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
