import WeirStates

/// Text made fit to stand in a URL (RFC 3986): bytes that may not stand there are percent-encoded.
struct URLText {
    let text: String

    /// A value of a query's parameter.
    init(value: String) { text = PercentEncoding.encode(value) }

    /// A path and query that a request named, as a URL of this same host: one slash leads it, what is encoded stays so.
    init(request: String) {
        // By scalars: a slash with a mark that combines with it is another character, and still a slash to a browser.
        let path = request.unicodeScalars.drop { $0 == "/" || $0 == "\\" }
        text = "/" + PercentEncoding.encode(String(path), keeping: "/?=&%+,;:@!$*()")
    }

    /// A parameter of a query with its value.
    static func query(_ name: String, _ value: String) -> String { "\(name)=\(URLText(value: value).text)" }
}
