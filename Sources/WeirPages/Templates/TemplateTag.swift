/// One tag of a template, with its line: what the check walks over.
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

/// A variable as a tag names it.
struct TemplateName: Sendable, Hashable {
    /// The path, such as `t.nav.runs`; `.` for the value at hand.
    let path: String
    /// The transforms, the outermost first.
    let transforms: [String]
    /// The line of the tag.
    let line: Int

    /// Whether it names a string, or a group of strings.
    var isString: Bool { path.split(separator: ".").first == "t" }
}

extension TemplateTag {
    /// The names of partials among tags at any depth, with their lines.
    static func partials(in tags: [TemplateTag]) -> [(name: String, line: Int)] {
        tags.flatMap { tag -> [(name: String, line: Int)] in
            switch tag {
            case .variable: []
            case .section(_, let inner), .inverted(_, let inner): partials(in: inner)
            case .partial(let name, let line): [(name, line)]
            }
        }
    }

    /// The number of tags at any depth.
    static func count(of tags: [TemplateTag]) -> Int {
        tags.reduce(0) { count, tag in
            switch tag {
            case .variable, .partial: count + 1
            case .section(_, let inner), .inverted(_, let inner): count + 1 + self.count(of: inner)
            }
        }
    }

    /// Whether a partial or another string is among the tags of a string, so that showing it might not end.
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
