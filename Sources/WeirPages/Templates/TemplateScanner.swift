import Foundation

/// Reads the tags of a template, with their lines, which Mustache does not keep.
///
/// Blocks and inheritance (`{{$…}}`, `{{<…}}`), other delimiters, partials named by a value (`{{>*…}}`) and sections of
/// strings (`{{#t…}}`) are reported as `forbidden`, because rendering them might never end.
struct TemplateScanner {
    /// The maximum nesting depth of sections, which Mustache parses and renders recursively.
    static let maximumDepth = 50

    private(set) var tags: [TemplateTag] = []
    /// The unsupported tags, as written, with their lines.
    private(set) var forbidden: [(tag: String, line: Int)] = []
    /// The line of the first section beyond the maximum depth; `tags` ends there.
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

/// A tag of a template, with its line.
indirect enum TemplateTag: Sendable {
    /// `{{name}}`, `{{transform(name)}}` or, unescaped, `{{{name}}}`.
    case variable(TemplateName, isEscaped: Bool)
    /// `{{#name}}…{{/name}}`.
    case section(TemplateName, [TemplateTag])
    /// `{{^name}}…{{/name}}`.
    case inverted(TemplateName, [TemplateTag])
    /// `{{>name}}`.
    case partial(String, line: Int)
}

struct TemplateName: Sendable, Hashable {
    /// The path, such as `t.nav.runs`, or `.` for the current value.
    let path: String
    let transforms: [String]
    let line: Int

    var isString: Bool { path.split(separator: ".").first == "t" }
}

extension TemplateTag {
    /// The names of the partials at any depth, with their lines.
    static func partials(in tags: [TemplateTag]) -> [(name: String, line: Int)] {
        tags.flatMap { tag -> [(name: String, line: Int)] in
            switch tag {
            case .variable: []
            case .section(_, let inner), .inverted(_, let inner): partials(in: inner)
            case .partial(let name, let line): [(name, line)]
            }
        }
    }

    static func count(of tags: [TemplateTag]) -> Int {
        tags.reduce(0) { count, tag in
            switch tag {
            case .variable, .partial: count + 1
            case .section(_, let inner), .inverted(_, let inner): count + 1 + self.count(of: inner)
            }
        }
    }

    /// Whether tags include a partial or a string, so that rendering might not end.
    static func leadOn(_ tags: [TemplateTag]) -> Bool {
        tags.contains { tag in
            switch tag {
            case .variable(let name, _): name.isString
            case .section(let name, let inner), .inverted(let name, let inner): name.isString || leadOn(inner)
            case .partial: true
            }
        }
    }
}
