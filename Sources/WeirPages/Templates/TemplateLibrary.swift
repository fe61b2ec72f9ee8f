import Mustache
import WeirFlows

/// All templates, parsed once; each broken or missing one is replaced by a box with the error.
struct TemplateLibrary: TemplateRendering {
    private let library: MustacheLibrary
    /// The tags of each template that Mustache accepted.
    let tags: [String: [TemplateTag]]
    /// The problems of the templates themselves: syntax, unsupported tags, missing partials.
    let problems: [TemplateProblem]
    /// Problems of an overlay's page templates that the bundled ones replace.
    let covered: [TemplateProblem]

    init(_ set: TemplateSet) {
        var templates: [String: MustacheTemplate] = [:]
        var tags: [String: [TemplateTag]] = [:]
        var problems = set.problems
        var covered: [TemplateProblem] = []
        func read(_ parsed: ParsedTemplate, _ file: String) -> Bool {
            let name = Self.name(of: file)
            templates[name] = parsed.template ?? parsed.problems.first.flatMap(Self.box)
            tags[name] = parsed.template.map { _ in parsed.tags }
            problems += parsed.problems
            return parsed.template != nil
        }
        func cover(_ file: String) {
            guard file.hasPrefix("pages/"), let other = set.covered[file], read(.bundled(other, file), file)
            else { return }
            problems.last.map { covered.append($0) }
        }
        for (file, text) in set.files.sorted(by: { $0.key < $1.key }) {
            let parsed = set.own.contains(file) ? ParsedTemplate(text, file) : .bundled(text, file)
            if !read(parsed, file) { cover(file) }
        }
        var own = set.own
        // Repeats, because a template that includes one of them can be too large as well.
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

    func contains(_ name: String) -> Bool { library.getTemplate(named: name) != nil }

    /// Renders a template, or a box with the error if it is missing.
    func render(_ name: String, _ fields: Fields) -> String {
        library.render(fields, withTemplate: name)
            ?? Self.boxHTML(TemplateProblem(file: name + ".mustache", line: 0, message: "there is no such template"))
    }

    static func name(of file: String) -> String { String(file.dropLast(".mustache".count)) }

    /// The templates of an overlay whose rendering is not bounded.
    ///
    /// Without them rendering ends, because that of the bundled ones does.
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

/// A template and its tags, or the problems of its text.
private struct ParsedTemplate: Sendable {
    var template: MustacheTemplate?
    let tags: [TemplateTag]
    var problems: [TemplateProblem]

    init(_ text: String, _ file: String) {
        // A file's final line end is not part of the template, which can be included inside a line.
        let text = text.hasSuffix("\n") ? String(text.dropLast()) : text
        // Scans before Mustache parses, because Mustache's parser is recursive.
        let scanner = TemplateScanner(text)
        tags = scanner.tags
        problems = scanner.forbidden.map { tag, line in
            TemplateProblem(file: file, line: line, message: "\(tag) is not supported in templates")
        }
        if let line = scanner.tooDeep {
            let message =
                "sections are nested more than \(TemplateScanner.maximumDepth) deep; make the template flatter"
            problems.append(TemplateProblem(file: file, line: line, message: message))
        }
        guard problems.isEmpty else { return }
        do {
            template = try MustacheTemplate(string: text)
        } catch {
            problems.append(TemplateLibrary.problem(file, error))
        }
    }

    private static let known = Locked<[String: (text: String, parsed: ParsedTemplate)]>([:])

    /// A bundled template, parsed once in a process.
    static func bundled(_ text: String, _ file: String) -> ParsedTemplate {
        if let known = known.withLock({ $0[file] }), known.text == text { return known.parsed }
        let parsed = ParsedTemplate(text, file)
        known.withLock { $0[file] = (text, parsed) }
        return parsed
    }
}

/// Renders templates; implemented by the library, and by the check, which records the members that templates receive.
protocol TemplateRendering: Sendable {
    func contains(_ name: String) -> Bool
    func render(_ name: String, _ fields: Fields) -> String
    /// Problems of an overlay's page templates that the bundled ones replace.
    var covered: [TemplateProblem] { get }
}

extension TemplateLibrary {
    /// The replacement of a broken template.
    ///
    /// A box has no tags, so Mustache accepts it.
    static func box(_ problem: TemplateProblem) -> MustacheTemplate? {
        do {
            return try MustacheTemplate(string: boxHTML(problem))
        } catch {
            return nil
        }
    }

    /// A box as markup that is allowed wherever text is.
    static func boxHTML(_ problem: TemplateProblem) -> String {
        let place = problem.line > 0 ? "\(problem.file):\(problem.line)" : problem.file
        return "<span class=\"broken\" role=\"alert\"><code>\(escaped(place))</code> \(escaped(problem.message))</span>"
    }

    /// The problem for an error of Mustache's parser.
    static func problem(_ file: String, _ error: any Error) -> TemplateProblem {
        guard let error = error as? MustacheTemplate.ParserError else {
            return TemplateProblem(file: file, line: 0, message: "cannot be read as Mustache")
        }
        let words =
            switch error.error as? MustacheTemplate.Error {
            case .sectionCloseNameIncorrect: "a section is closed that was not opened last"
            case .unfinishedName: "a tag is not closed, or its name has invalid characters"
            case .expectedSectionEnd: "a section is not closed"
            case .invalidSetDelimiter: "delimiters are set wrongly"
            case .transformAppliedToInheritanceSection: "a block cannot have a transform"
            case .illegalTokenInsideInheritSection, .textInsideInheritSection:
                "only blocks are allowed between an inherited template's tags"
            case .invalidConfigVariableSyntax, .unrecognisedConfigVariable: "there is no such setting"
            case nil: "cannot be read as Mustache"
            }
        return TemplateProblem(file: file, line: error.context.lineNumber, message: words)
    }

    /// Escapes braces too, which would be tags when the box becomes a template.
    private static func escaped(_ text: String) -> String {
        CleanText(text).markup.replacing("{", with: "&#123;")
    }
}

/// The sizes that templates expand to with the partials they include directly or indirectly.
///
/// Mustache renders partials recursively, so a template that includes itself, or whose partials multiply, would never end
/// or would exhaust the stack.
struct PartialOrder {
    /// The maximum number of tags of a template, including those of its partials at each inclusion.
    static let maximumTags = 20_000
    static let maximumDepth = 20

    /// The number of tags and the depth of each template, except those that include themselves directly or indirectly.
    private(set) var sizes: [String: (tags: Int, depth: Int)] = [:]
    private let partials: [String: [(name: String, line: Int)]]

    init(_ tags: [String: [TemplateTag]]) {
        partials = tags.mapValues { TemplateTag.partials(in: $0).filter { tags[$0.name] != nil } }
        var includers: [String: [String]] = [:]
        for (name, inner) in partials {
            for partial in Set(inner.map(\.name)) { includers[partial, default: []].append(name) }
        }
        var open = partials.mapValues { Set($0.map(\.name)).count }
        var ready = open.filter { $0.value == 0 }.map(\.key)
        while let name = ready.popLast() {
            var (count, depth) = (TemplateTag.count(of: tags[name] ?? []), 0)
            for size in (partials[name] ?? []).compactMap({ sizes[$0.name] }) {
                count = min(count + size.tags, .max / 2)
                depth = max(depth, size.depth + 1)
            }
            sizes[name] = (count, depth)
            for includer in includers[name] ?? [] {
                let rest = (open[includer] ?? 1) - 1
                open[includer] = rest
                if rest == 0 { ready.append(includer) }
            }
        }
    }

    func isBounded(_ name: String) -> Bool {
        sizes[name].map { $0.tags <= Self.maximumTags && $0.depth <= Self.maximumDepth } ?? false
    }

    /// The line of the partial by which a template includes itself, or nil.
    func lineOfCycle(through name: String) -> Int? {
        (partials[name] ?? []).first { partial in
            var (seen, next) = (Set([partial.name]), [partial.name])
            while let inner = next.popLast() {
                if inner == name { return true }
                for more in partials[inner] ?? [] where seen.insert(more.name).inserted { next.append(more.name) }
            }
            return false
        }?.line
    }
}

extension PageWriter {
    var common: Fields { ["t": strings.context, "base": base, "assets": assets, "locale": locale.tag] }

    func render(_ template: String, _ fields: Fields) -> TrustedHTML {
        TrustedHTML(library.render(template, common.merging(fields)))
    }
}
