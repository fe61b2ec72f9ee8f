/// Whatever turns a template's name and what it can name into HTML: the library, or the check, which only listens.
protocol TemplateRendering: Sendable {
    /// Whether there is a template of that name.
    func contains(_ name: String) -> Bool
    /// Renders a template.
    func render(_ name: String, _ fields: Fields) -> String
    /// Problems of page templates of an overlay, in place of which the bundled ones are used.
    var covered: [TemplateProblem] { get }
}
