/// Says in a sentence what a Swift decoder or encoder did not like.
enum CodingWords {
    static func sentence(for error: any Error) -> String {
        switch error {
        case DecodingError.keyNotFound(let key, _): "“\(key.stringValue)” is missing."
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
            DecodingError.dataCorrupted(let context):
            "\(place(context.codingPath)): \(context.debugDescription)"
        case EncodingError.invalidValue(_, let context): "\(place(context.codingPath)): \(context.debugDescription)"
        default: "\(error)"
        }
    }

    private static func place(_ path: [any CodingKey]) -> String {
        path.isEmpty ? "The whole" : path.map(\.stringValue).joined(separator: ".")
    }
}
