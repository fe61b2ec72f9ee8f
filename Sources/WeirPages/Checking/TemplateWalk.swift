/// Follows a template's tags through the shapes of the values they name, and records names that do not exist.
struct TemplateWalk {
    let tags: [String: [TemplateTag]]
    /// The strings of all locales, with their locations.
    let strings: StringPlaces
    /// A set, because a partial is walked once for each template that includes it.
    private(set) var problems: Set<TemplateProblem> = []

    init(tags: [String: [TemplateTag]], strings: StringPlaces) {
        self.tags = tags
        self.strings = strings
    }

    /// Walks a template whose context has a shape.
    mutating func walk(_ template: String, _ shape: TemplateShape) {
        guard let tags = tags[template] else { return }
        let isLenient = template.hasPrefix("operations/default/") || template.hasPrefix("stores/default/")
        walk(tags, [shape], Place(file: template + ".mustache", isLenient: isLenient, depth: 0))
    }

    private struct Place {
        let file: String
        /// Whether sections of unknown names are allowed: a default template must handle states of any case.
        let isLenient: Bool
        let depth: Int
        /// The line of a string in its table, which is reported for all tags of the string.
        var line: Int?
    }

    private mutating func walk(_ tags: [TemplateTag], _ stack: [TemplateShape], _ place: Place) {
        // Partials nest less deeply than this; a string adds one level.
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
        guard let found = scope.reversed().compactMap({ $0.member(first) }).first else { return nil }
        return names.dropFirst().reduce(found) { shape, name in shape?.member(name) }
    }

    private mutating func note(_ message: String, _ name: TemplateName, _ place: Place) {
        problems.insert(TemplateProblem(file: place.file, line: place.line ?? name.line, message: message))
    }
}

extension TemplateShape {
    /// The shapes that a section pushes onto the context stack.
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

/// The members, lists and transforms that a template can name, without values.
indirect enum TemplateShape: Sendable, Equatable {
    /// A value without members; `isMarkup` if it can be inserted unescaped.
    case leaf(transforms: Set<String>, isMarkup: Bool)
    case record([String: TemplateShape], transforms: Set<String>)
    /// A list of elements of one shape; nil if only empty lists were seen.
    case list(TemplateShape?)
    case strings(prefix: String)
    /// A value that can be present but was not seen.
    case unknown

    static let plain = TemplateShape.leaf(transforms: [], isMarkup: false)
    static let moment = TemplateShape.record(
        Dictionary(MomentValue.names.map { ($0, .plain) }) { $1 }, transforms: [])
    static let member = TemplateShape.record(["name": .plain, "label": .plain, "text": .plain], transforms: [])

    /// The shape of a value as templates see it.
    init(_ value: Any) {
        switch value {
        case is StringSection: self = .strings(prefix: "")
        case is MomentValue: self = .moment
        case is TrustedHTML: self = .leaf(transforms: [], isMarkup: true)
        case is NumberValue: self = .leaf(transforms: NumberValue.transforms, isMarkup: false)
        case is TextValue: self = .leaf(transforms: TextValue.transforms, isMarkup: false)
        case let fields as Fields: self = .record(Self.members(of: fields), transforms: [])
        case let object as ObjectValue:
            var members = object.json.compactMapValues { object.values.value($0).map { TemplateShape($0) } }
            members.merge(object.acts.mapValues { TemplateShape($0) }) { $1 }
            if !object.acts.isEmpty { members["hasMistake"] = .plain }
            self = .record(members, transforms: ObjectValue.transforms)
        case let list as ListValue: self = .list(Self.union(list.map { TemplateShape($0) }))
        case let list as [Any]: self = .list(Self.union(list.map { TemplateShape($0) }))
        default: self = .plain
        }
    }

    static func members(of fields: Fields) -> [String: TemplateShape] {
        let absent = fields.absent.map { ($0, TemplateShape.unknown) }
        return Dictionary(absent) { $1 }.merging(fields.members.mapValues { TemplateShape($0) }) { $1 }
    }

    static func union(_ shapes: [TemplateShape]) -> TemplateShape? {
        guard let first = shapes.first else { return nil }
        return shapes.dropFirst().reduce(first) { $0.union($1) }
    }

    /// The shape that has the members and transforms of both.
    func union(_ other: TemplateShape) -> TemplateShape {
        switch (self, other) {
        case (.record(let mine, let some), .record(let others, let more)):
            .record(mine.merging(others) { $0.union($1) }, transforms: some.union(more))
        case (.list(let mine), .list(let others)): .list(Self.union([mine, others].compactMap { $0 }))
        case (.leaf(let mine, let isMarkup), .leaf(let others, let isOther)):
            .leaf(transforms: mine.union(others), isMarkup: isMarkup && isOther)
        case (.unknown, _): other
        case (.record, _), (.list, _), (.strings, _), (_, .unknown): self
        case (.leaf, _): other
        }
    }

    /// The shape of a member, or nil if it does not exist.
    func member(_ name: String) -> TemplateShape? {
        switch self {
        case .record(let members, _): members[name]
        case .strings(let prefix): .strings(prefix: prefix.isEmpty ? name : "\(prefix).\(name)")
        case .unknown: .unknown
        case .leaf, .list: nil
        }
    }

    /// The shape of a transform's result, or nil if the transform is not supported.
    func transformed(by name: String) -> TemplateShape? {
        switch self {
        case .leaf(let transforms, _), .record(_, let transforms):
            guard transforms.contains(name) else { return nil }
            return name == "time" ? .moment : name == "members" ? .list(.member) : .plain
        case .list(let element):
            guard ListValue.transforms.contains(name) else { return nil }
            switch name {
            case "first", "last": return element ?? .plain
            case "reversed": return self
            case "count": return .leaf(transforms: NumberValue.transforms, isMarkup: false)
            default: return .plain
            }
        case .unknown: return .unknown
        case .strings: return nil
        }
    }
}
