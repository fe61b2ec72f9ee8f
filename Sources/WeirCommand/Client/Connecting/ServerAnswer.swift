import NIOHTTP1
package import WeirStates

/// What a server answered.
package struct ServerAnswer: Sendable {
    package let status: Int
    let headers: HTTPHeaders
    /// The body, where it is JSON.
    package let body: JSONValue?

    /// What a problem document (RFC 9457) of Weir says.
    struct ProblemDocument: Sendable {
        let kind: String
        let detail: String
        let fields: [(name: String, detail: String)]
    }

    package var isSuccess: Bool { (200..<300).contains(status) }

    /// The value of a header field.
    package func header(_ name: String) -> String? { headers.first(name: name) }

    /// The problem that the body describes, if Weir wrote it.
    var problem: ProblemDocument? {
        guard let kind = body?["type"]?.string, kind.hasPrefix("urn:weir:problem:") else { return nil }
        return ProblemDocument(
            kind: String(kind.dropFirst("urn:weir:problem:".count)), detail: body?["detail"]?.string ?? "",
            fields: (body?["errors"]?.array ?? []).map {
                ($0["field"]?.string ?? "", $0["detail"]?.string ?? "")
            })
    }
}
