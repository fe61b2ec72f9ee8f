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
            // Before Mustache reads it, which is recursive.
            let scanner = TemplateScanner(text)
            var found = scanner.forbidden.map { tag, line in
                TemplateProblem(file: file, line: line, message: "\(tag) is not supported in templates")
            }
            if let line = scanner.tooDeep {
                let message =
                    "sections are nested more than \(TemplateScanner.maximumDepth) deep; make the template flatter"
                found.append(TemplateProblem(file: file, line: line, message: message))
            }
            if found.isEmpty {
                do {
                    templates[name] = try MustacheTemplate(string: text)
                    tags[name] = scanner.tags
                    return true
                } catch {
                    found.append(Self.problem(file, error))
                }
            }
            problems += found
            templates[name] = found.first.flatMap(Self.box)
            tags[name] = nil
            return false
        }
        func cover(_ file: String) {
            guard file.hasPrefix("pages/"), let other = set.covered[file], read(other, file) else { return }
            problems.last.map { covered.append($0) }
        }
        for (file, text) in set.files.sorted(by: { $0.key < $1.key }) {
            if !read(text, file) { cover(file) }
        }
        var own = set.own
        // Once more without them: a template that includes one of them can be too large.
        while case let unbounded = Self.unbounded(tags, own: own), !unbounded.isEmpty {
            for problem in unbounded {
                problems.append(problem)
                let name = Self.name(of: problem.file)
                templates[name] = Self.box(problem)
                tags[name] = nil
                own.remove(problem.file)
                cover(problem.file)
            }
        }
        for (name, tags) in tags.sorted(by: { $0.key < $1.key }) {
            for (partial, line) in TemplateTag.partials(in: tags) where templates[partial] == nil {
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

    /// The templates of an overlay that would be rendered without end, or nearly so.
    ///
    /// Without them the others end, since the bundled ones do.
    private static func unbounded(_ tags: [String: [TemplateTag]], own: Set<String>) -> [TemplateProblem] {
        let order = PartialOrder(tags)
        return own.sorted().compactMap { file in
            let name = name(of: file)
            guard tags[name] != nil, !order.isBounded(name) else { return nil }
            if order.sizes[name] != nil {
                let message = "the template and its partials are too large together; include fewer of them"
                return TemplateProblem(file: file, line: 0, message: message)
            }
            guard let line = order.lineOfCycle(through: name) else { return nil }
            let message = "the template includes itself, directly or through another; remove one of these tags"
            return TemplateProblem(file: file, line: line, message: message)
        }
    }
}

/// Renders templates: the library, or the check, which records the names that a template is given.
protocol TemplateRendering: Sendable {
    /// Whether there is a template with that name.
    func contains(_ name: String) -> Bool
    /// Renders a template.
    func render(_ name: String, _ fields: Fields) -> String
    /// Problems of page templates of an overlay, in place of which the bundled ones are used.
    var covered: [TemplateProblem] { get }
}
