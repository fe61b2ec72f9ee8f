import HTTPTypes
import Hummingbird

/// The name under which somebody acts in a browser, kept in a cookie.
struct ViewerName {
    static let cookie = "weir-name"
    static let limit = 100

    let dashboard: Dashboard

    /// The name that a request brings; nil for none.
    static func name(in request: Request) -> String? {
        request.cookies[cookie].flatMap { PercentEncoding.decode($0.value) }.flatMap(clean)
    }

    /// Keeps a name and sends the browser back; without a name, forgets the one there was.
    func keep(_ exchange: Exchange) async throws(Problem) -> Response {
        var body = BodyReader(exchange.request, limit: 16_384)
        let bytes = try await body.collect()
        guard let text = String(validating: bytes.readableBytesView, as: UTF8.self), let fields = FormFields(text)
        else { throw .malformedBody("The form is not properly encoded.") }
        let name = fields["name"].flatMap(Self.clean)
        var response = Response.seeOther(back(fields["back"] ?? ""))
        response.setCookie(
            Cookie(
                name: Self.cookie, value: name.map(PercentEncoding.encode) ?? "", maxAge: name == nil ? 0 : 31_536_000,
                path: dashboard.mount.description, secure: false, httpOnly: true, sameSite: .lax))
        return response
    }

    /// One line of at most a hundred characters.
    private static func clean(_ text: String) -> String? {
        let line = String(text.unicodeScalars.filter { !$0.properties.isControl }.map(Character.init).prefix(limit))
        let words = line.split { $0.isWhitespace }.joined(separator: " ")
        return words.isEmpty ? nil : words
    }

    /// A path of this dashboard; anything else leads to the overview.
    private func back(_ path: String) -> String {
        let isPlain = path.utf8.allSatisfy { (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "\\") }
        guard isPlain, !path.hasPrefix("//"), dashboard.mount.below(path.prefix { $0 != "?" }) != nil else {
            return dashboard.mount.url("")
        }
        return path
    }
}

extension Unicode.Scalar.Properties {
    fileprivate var isControl: Bool { generalCategory == .control || generalCategory == .lineSeparator }
}
