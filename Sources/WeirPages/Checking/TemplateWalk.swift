/// Follows a template's tags through the shapes of what they name, and notes what is not there.
struct TemplateWalk {
    /// The tags of all templates.
    let tags: [String: [TemplateTag]]
    /// The strings of all locales, with the places they stand in.
    let strings: StringPlaces
    /// Found so far; a set, since a partial is walked once for each place it is used in.
    private(set) var problems: Set<TemplateProblem> = []

    init(tags: [String: [TemplateTag]], strings: StringPlaces) {
        self.tags = tags
        self.strings = strings
    }

    /// Walks a template with what it can name.
    mutating func walk(_ template: String, _ shape: TemplateShape) {
        guard let tags = tags[template] else { return }
        let isLenient = template.hasPrefix("operations/default/") || template.hasPrefix("stores/default/")
        walk(tags, [shape], Place(file: template + ".mustache", isLenient: isLenient, depth: 0))
    }

    /// Where the walk is.
    private struct Place {
        let file: String
        /// Whether a section about something unknown is no mistake: a default template is for states it does not know.
        let isLenient: Bool
        let depth: Int
        /// The line to report for a string, whose own lines mean nothing.
        var line: Int?
    }

    private mutating func walk(_ tags: [TemplateTag], _ stack: [TemplateShape], _ place: Place) {
        // Partials end before that; strings add one.
        guard place.depth < PartialOrder.maximumDepth * 2 else { return }
        for tag in tags {
            switch tag {
            case .variable(let name, let isEscaped):
                guard let shape = resolve(name, stack, place, isTested: false) else { continue }
                if !isEscaped, !shape.isMarkup {
                    note("{{{\(name.path)}}} would not be escaped; write {{\(name.path)}}", name, place)
                }
            case .section(let name, let inner):
                guard let shape = resolve(name, stack, place, isTested: true) else { continue }
                walk(inner, stack + shape.pushed, place)
            case .inverted(let name, let inner):
                _ = resolve(name, stack, place, isTested: true)
                walk(inner, stack, place)
            case .partial(let name, _):
                let inside = Place(file: name + ".mustache", isLenient: place.isLenient, depth: place.depth + 1)
                walk(self.tags[name] ?? [], stack, inside)
            }
        }
    }

    private mutating func resolve(
        _ name: TemplateName, _ stack: [TemplateShape], _ place: Place, isTested: Bool
    ) -> TemplateShape? {
        guard var shape = find(name.path, stack) else {
            if !(isTested && place.isLenient) { note("there is no variable \(name.path) here", name, place) }
            return nil
        }
        if case .strings(let key) = shape {
            guard strings.contains(key) else {
                note("there is no string \(key)", name, place)
                return nil
            }
            for string in strings[key] {
                walk(
                    string.tags, stack,
                    Place(file: string.file, isLenient: place.isLenient, depth: place.depth + 1, line: string.line))
            }
            shape = .plain
        }
        for transform in name.transforms.reversed() {
            guard let next = shape.transformed(by: transform) else {
                note("\(name.path) has no transform \(transform)", name, place)
                return nil
            }
            shape = next
        }
        return shape
    }

    private func find(_ path: String, _ stack: [TemplateShape]) -> TemplateShape? {
        guard path != "." else { return stack.last }
        let names = path.split(separator: ".").map(String.init)
        guard let first = names.first else { return nil }
        let scope = path.hasPrefix(".") ? Array(stack.suffix(1)) : stack
        guard let found = scope.reversed().lazy.compactMap({ $0.member(first) }).first else { return nil }
        return names.dropFirst().reduce(found) { shape, name in shape?.member(name) }
    }

    private mutating func note(_ message: String, _ name: TemplateName, _ place: Place) {
        problems.insert(TemplateProblem(file: place.file, line: place.line ?? name.line, message: message))
    }
}

extension TemplateShape {
    /// What a section about it puts on the stack.
    fileprivate var pushed: [TemplateShape] {
        switch self {
        case .list(let element): [element ?? .unknown]
        case .leaf, .record, .strings, .unknown: [self]
        }
    }

    fileprivate var isMarkup: Bool {
        switch self {
        case .leaf(_, let isMarkup): isMarkup
        case .unknown: true
        case .record, .list, .strings: false
        }
    }
}
