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
}
