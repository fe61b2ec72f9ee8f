/// A value that is being encoded and is neither an object nor a list.
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
