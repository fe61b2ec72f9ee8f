import Foundation

/// Our own scripts and styles as they are sent: without comments and indentation, which only their readers here need.
///
/// Made for the files of the bundled `Public` and their way of writing, as `Documentation/page-contract.md` tells; nobody
/// else's files are touched.
enum ServedText {
    /// The bytes to send for a file with that path.
    static func bytes(of path: String, _ data: Data) -> Data {
        let text: String
        switch path.split(separator: ".").last {
        case "js": text = withoutBlocks(String(decoding: data, as: UTF8.self), opening: "/**")
        case "css": text = withoutBlocks(String(decoding: data, as: UTF8.self), opening: "/*")
        default: return data
        }
        let lines = text.split(separator: "\n").map { $0.drop(while: \.isWhitespace) }
        return Data(lines.filter { !$0.isEmpty && !$0.hasPrefix("//") }.joined(separator: "\n").utf8)
    }

    private static func withoutBlocks(_ text: String, opening: String) -> String {
        var result = ""
        var rest = text[...]
        while let start = rest.range(of: opening),
            let end = rest.range(of: "*/", range: start.upperBound..<rest.endIndex)
        {
            result += rest[..<start.lowerBound]
            rest = rest[end.upperBound...]
        }
        return result + rest
    }
}
