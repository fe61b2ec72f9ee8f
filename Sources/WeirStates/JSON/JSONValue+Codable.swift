package import Foundation

extension JSONValue: Codable {
    /// Reads any JSON value.
    public init(from decoder: any Decoder) throws {
        // The attempts below take seconds for a megabyte of small values.
        if let key = CodingUserInfoKey.wholeJSON, let whole = decoder.userInfo[key] as? JSONValue,
            let part = whole.part(at: decoder.codingPath)
        {
            self = part
            return
        }
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    /// Writes the value as it is.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}

extension CodingUserInfoKey {
    /// The value that is being decoded as a whole, so that its parts need not be decoded again.
    static let wholeJSON = CodingUserInfoKey(rawValue: "weir.json")
}

extension JSONValue {
    /// The part of the value at a path, or nil.
    private func part(at path: [any CodingKey]) -> JSONValue? {
        var part = self
        for key in path {
            let next: JSONValue? =
                switch part {
                case .object(let members): members[key.stringValue]
                case .array: key.intValue.flatMap(part.element(at:))
                case .null, .bool, .integer, .number, .string: nil
                }
            guard let next else { return nil }
            part = next
        }
        return part
    }

    /// Reads a JSON text.
    ///
    /// Throws `DecodingError` with line and column of the mistake.
    package init(parsing text: some StringProtocol) throws {
        var text = String(text)
        self = try text.withUTF8 { try JSONParser.parse($0) }
    }

    /// Reads UTF-8 bytes of a JSON text.
    ///
    /// Throws `DecodingError` with line and column of the mistake.
    package init(parsing data: Data) throws {
        // Unsafe memory: the bytes are read only during the call, and no further than their count.
        self = try data.withUnsafeBytes { try JSONParser.parse($0.assumingMemoryBound(to: UInt8.self)) }
    }

    /// The JSON value of anything that can be encoded.
    ///
    /// Throws what the value's own encoding throws.
    public init(encoding value: some Encodable) throws {
        self = try JSONValueEncoder.value(value)
    }

    /// Decodes a value of the given type.
    ///
    /// Throws `DecodingError` that names the member that does not fit.
    public func decode<Value: Decodable>(
        _ type: Value.Type, userInfo: [CodingUserInfoKey: any Sendable] = [:]
    ) throws -> Value {
        // Never traps: what it is given is whole.
        let decoder = JSONDecoder()
        decoder.userInfo = userInfo
        if let key = CodingUserInfoKey.wholeJSON { decoder.userInfo[key] = self }
        return try decoder.decode(type, from: Data(try text().utf8))
    }
}
