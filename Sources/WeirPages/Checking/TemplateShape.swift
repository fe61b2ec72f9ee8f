/// What a template can name at some place, without the values: names, lists, and the transforms each knows.
indirect enum TemplateShape: Sendable, Equatable {
    /// Something without members, that knows these transforms; `isMarkup` if it may stand unescaped.
    case leaf(transforms: Set<String>, isMarkup: Bool)
    /// Something with members.
    case record([String: TemplateShape], transforms: Set<String>)
    /// A list of what is like this; nil while it was only seen empty.
    case list(TemplateShape?)
    /// The strings whose keys begin so.
    case strings(prefix: String)
    /// Something that can be there, but has not been seen.
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

    /// What can be named in fields, by name.
    static func members(of fields: Fields) -> [String: TemplateShape] {
        let absent = fields.absent.map { ($0, TemplateShape.unknown) }
        return Dictionary(absent) { $1 }.merging(fields.members.mapValues { TemplateShape($0) }) { $1 }
    }

    static func union(_ shapes: [TemplateShape]) -> TemplateShape? {
        guard let first = shapes.first else { return nil }
        return shapes.dropFirst().reduce(first) { $0.union($1) }
    }

    /// What can be named in one or the other.
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

    /// The member with that name; nil if there is none.
    func member(_ name: String) -> TemplateShape? {
        switch self {
        case .record(let members, _): members[name]
        case .strings(let prefix): .strings(prefix: prefix.isEmpty ? name : "\(prefix).\(name)")
        case .unknown: .unknown
        case .leaf, .list: nil
        }
    }

    /// What a transform makes of it; nil if it knows no such transform.
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
