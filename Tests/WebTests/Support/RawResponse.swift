import Foundation
import States

/// An answer as it came over the wire.
struct RawResponse: Sendable {
    let status: Int
    /// The header fields, with their names in lower case.
    let headers: [String: String]
    let body: Data

    var text: String { String(decoding: body, as: UTF8.self) }

    /// The body as JSON.
    func json() throws -> JSONValue { try JSONValue(parsing: body) }

    subscript(name: String) -> String? { headers[name] }
}
