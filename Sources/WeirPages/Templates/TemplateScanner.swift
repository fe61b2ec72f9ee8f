import Foundation

/// Reads the tags of a template that Mustache has accepted, with their lines, which Mustache does not keep.
///
/// Pages do not use blocks and inheritance (`{{$…}}`, `{{<…}}`), other delimiters, partials named by a value (`{{>*…}}`) and
/// sections of strings (`{{#t…}}`). The scanner reports them as `forbidden`, because rendering them might never end.
struct TemplateScanner {
    /// The maximum depth of sections in each other, as Mustache reads and renders them recursively.
    static let maximumDepth = 50

    /// The tags, nested as their sections are.
    private(set) var tags: [TemplateTag] = []
    /// Tags that pages do without, as they are written, with their lines.
    private(set) var forbidden: [(tag: String, line: Int)] = []
    /// The line of the first section that is nested too deep; the tags end there.
    private(set) var tooDeep: Int?

    init(_ text: String) {
        var open: [(name: TemplateName, isInverted: Bool, tags: [TemplateTag])] = []
        var rest = text[...]
        var line = 1
        while let start = rest.range(of: "{{") {
            line += rest[..<start.lowerBound].count { $0.isNewline }
            rest = rest[start.upperBound...]
            let isTriple = rest.first == "{"
            guard let end = rest.range(of: isTriple ? "}}}" : "}}") else { break }
            let inside = rest[..<end.lowerBound]
            rest = rest[end.upperBound...]
            defer { line += inside.count { $0.isNewline } }
            let body = Self.trimmed(inside.dropFirst())
            func add(_ tag: TemplateTag) {
                if let last = open.indices.last { open[last].tags.append(tag) } else { tags.append(tag) }
            }
            switch inside.first {
            case "!": continue
            case "#", "^":
                guard open.count < Self.maximumDepth else {
                    tooDeep = line
                    return
                }
                let name = Self.name(body, line)
                if inside.first == "#", name.isString { forbidden.append(("{{\(inside)}}", line)) }
                open.append((name, inside.first == "^", []))
            case "/":
                guard let done = open.popLast() else { continue }
                add(done.isInverted ? .inverted(done.name, done.tags) : .section(done.name, done.tags))
            case ">":
                if body.hasPrefix("*") { forbidden.append(("{{\(inside)}}", line)) }
                add(.partial(body, line: line))
            case "{", "&": add(.variable(Self.name(body, line), isEscaped: false))
            case "$", "<", "=", "%": forbidden.append(("{{\(inside)}}", line))
            default: add(.variable(Self.name(Self.trimmed(inside), line), isEscaped: true))
            }
        }
    }

    private static func trimmed(_ text: Substring) -> String {
        String(text.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
    }

    private static func name(_ text: String, _ line: Int) -> TemplateName {
        let parts = text.split(separator: "(", omittingEmptySubsequences: false).map(String.init)
        let path = String(parts.last?.prefix { $0 != ")" } ?? "")
        return TemplateName(path: path, transforms: Array(parts.dropLast()), line: line)
    }
}
