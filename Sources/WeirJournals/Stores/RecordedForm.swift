package import WeirStates

/// A value with one JSON form, wherever it is written: in a journal, an answer, a page.
package protocol RecordedForm: Codable {
    /// The value as it is recorded.
    var json: JSONValue { get }
    /// Reads what `json` wrote; nil for anything else.
    init?(json: JSONValue)
}

extension RecordedForm {
    /// Reads the JSON form; throws `DecodingError` for anything else.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let value = Self(json: try container.decode(JSONValue.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "this is not a \(Self.self)")
        }
        self = value
    }

    /// Writes the JSON form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(json)
    }
}
