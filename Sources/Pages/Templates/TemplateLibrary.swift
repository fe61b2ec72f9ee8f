import Mustache

/// All templates, read once, where each broken or missing one is replaced by a box that says so.
struct TemplateLibrary: TemplateRendering {
    /// The templates as Mustache has them.
    private let library: MustacheLibrary
    /// The tags of each template that Mustache accepted, by name.
    let tags: [String: [TemplateTag]]
    /// What is wrong with the templates as such: syntax, tags that pages do without, partials that do not exist.
    let problems: [TemplateProblem]
    /// Problems of page templates of an overlay, in place of which the bundled ones are used.
    let covered: [TemplateProblem]

    init(_ set: TemplateSet) {
        var templates: [String: MustacheTemplate] = [:]
        var tags: [String: [TemplateTag]] = [:]
        var problems = set.problems
        var covered: [TemplateProblem] = []
        func read(_ text: String, _ file: String) -> Bool {
            let name = Self.name(of: file)
            // The line end that ends a file is not part of a template that others put inside a line.
            let text = text.hasSuffix("\n") ? String(text.dropLast()) : text
            do {
                templates[name] = try MustacheTemplate(string: text)
                let scanner = TemplateScanner(text)
                tags[name] = scanner.tags
                for (tag, line) in scanner.forbidden {
                    problems.append(
                        TemplateProblem(file: file, line: line, message: "\(tag) is not supported in templates"))
                }
                return true
            } catch {
                let problem = Self.problem(file, error)
                problems.append(problem)
                templates[name] = Self.box(problem)
                return false
            }
        }
        for (file, text) in set.files.sorted(by: { $0.key < $1.key }) {
            if !read(text, file), file.hasPrefix("pages/"), let other = set.covered[file], read(other, file) {
                problems.last.map { covered.append($0) }
            }
        }
        for (name, tags) in tags.sorted(by: { $0.key < $1.key }) {
            for (partial, line) in Self.partials(tags) where templates[partial] == nil {
                let problem = TemplateProblem(
                    file: name + ".mustache", line: line, message: "there is no template \(partial).mustache")
                problems.append(problem)
                templates[partial] = Self.box(problem)
            }
        }
        library = MustacheLibrary(templates: templates)
        self.tags = tags
        self.problems = problems
        self.covered = covered
    }

    /// Whether there is a template with that name, broken or not.
    func contains(_ name: String) -> Bool { library.getTemplate(named: name) != nil }

    /// The names of all templates, in order.
    var names: [String] { tags.keys.sorted() }

    /// Renders a template; a missing one as a box that says so.
    func render(_ name: String, _ fields: Fields) -> String {
        library.render(fields, withTemplate: name)
            ?? Self.boxHTML(TemplateProblem(file: name + ".mustache", line: 0, message: "there is no such template"))
    }

    static func name(of file: String) -> String { String(file.dropLast(".mustache".count)) }

    private static func partials(_ tags: [TemplateTag]) -> [(String, Int)] {
        tags.flatMap { tag -> [(String, Int)] in
            switch tag {
            case .variable: []
            case .section(_, let inner), .inverted(_, let inner): partials(inner)
            case .partial(let name, let line): [(name, line)]
            }
        }
    }
}

/// Whatever turns a template's name and what it can name into HTML: the library, or the check, which only listens.
protocol TemplateRendering: Sendable {
    /// Whether there is a template with that name.
    func contains(_ name: String) -> Bool
    /// Renders a template.
    func render(_ name: String, _ fields: Fields) -> String
    /// Problems of page templates of an overlay, in place of which the bundled ones are used.
    var covered: [TemplateProblem] { get }
}
