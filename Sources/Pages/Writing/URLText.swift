/// Text made fit to stand in a URL (RFC 3986): bytes that may not stand there are percent-encoded.
struct URLText {
    let text: String

    /// A value of a query's parameter.
    init(value: String) { text = Self.encoded(value, keeping: "-._~") }

    /// A path and query that a request named, as a URL of this same host: one slash leads it, what is encoded stays so.
    init(request: String) {
        // By scalars: a slash with a mark that combines with it is another character, and still a slash to a browser.
        let path = request.unicodeScalars.drop { $0 == "/" || $0 == "\\" }
        text = "/" + Self.encoded(String(path), keeping: "-._~/?=&%+,;:@!$*()")
    }

    /// A parameter of a query with its value.
    static func query(_ name: String, _ value: String) -> String { "\(name)=\(URLText(value: value).text)" }

    private static func encoded(_ text: String, keeping kept: String) -> String {
        var result = ""
        for byte in text.utf8 {
            let scalar = Unicode.Scalar(byte)
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: result.unicodeScalars.append(scalar)
            case 0..<0x80 where kept.unicodeScalars.contains(scalar): result.unicodeScalars.append(scalar)
            default: result += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return result
    }
}
