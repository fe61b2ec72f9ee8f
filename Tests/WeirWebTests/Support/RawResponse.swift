import Foundation
import WeirStates

/// An answer as it came over the wire.
struct RawResponse: Sendable {
    let status: Int
    /// The header fields, with their names in lower case.
    let headers: [String: String]
    let body: Data

    var text: String { String(decoding: body, as: UTF8.self) }

    /// Whether a page offers to change something for others: pins are kept in the browser alone.
    var offersChanges: Bool {
        text.replacing("<form id=\"pins\" method=\"post\"", with: "<form").contains("method=\"post\"")
    }

    /// The body as JSON.
    func json() throws -> JSONValue { try JSONValue(parsing: body) }

    subscript(name: String) -> String? { headers[name] }
}
