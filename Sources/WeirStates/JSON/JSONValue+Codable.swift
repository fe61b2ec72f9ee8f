package import Foundation

extension JSONValue: Codable {
    /// Decodes any JSON value; numbers keep their digits where the text was parsed as a `JSONValue` first.
    public init(from decoder: any Decoder) throws {
        // The decoding attempts below take seconds for a megabyte of small values.
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
            self = .number(JSONNumber(value))
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    /// Encodes the value; an encoder other than `init(encoding:)` writes a number's nearest `Double`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value): try container.encode(value.value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}

extension CodingUserInfoKey {
    /// The whole JSON value that is being decoded, so that parts of it need no second decoding.
    static let wholeJSON = CodingUserInfoKey(rawValue: "weir.json")
}

extension JSONValue {
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

    /// Encodes a value as JSON.
    ///
    /// Throws the errors of the value's own encoding.
    public init(encoding value: some Encodable) throws {
        self = try JSONValueEncoder.value(value)
    }

    /// Decodes a value of the given type.
    ///
    /// Throws `DecodingError` with the path of the member that does not fit.
    public func decode<Value: Decodable>(
        _ type: Value.Type, userInfo: [CodingUserInfoKey: any Sendable] = [:]
    ) throws -> Value {
        // Never traps: the text that it decodes is complete.
        let decoder = JSONDecoder()
        decoder.userInfo = userInfo
        if let key = CodingUserInfoKey.wholeJSON { decoder.userInfo[key] = self }
        return try decoder.decode(type, from: Data(try text().utf8))
    }
}

extension Decodable {
    /// Decodes a value from the UTF-8 bytes of an untrusted JSON text.
    ///
    /// Foundation's decoder crashes on a text that ends after its 513th open bracket. Malformed text, and text that is
    /// nested more than 512 levels deep, is therefore rejected first.
    ///
    /// Throws `DecodingError`.
    package init(json data: Data) throws {
        let whole = try JSONValue(parsing: data)
        // Never traps: the text is complete.
        let decoder = JSONDecoder()
        if let key = CodingUserInfoKey.wholeJSON { decoder.userInfo[key] = whole }
        self = try decoder.decode(Self.self, from: data)
    }
}
