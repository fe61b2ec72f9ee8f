/// How much templates expand to with the partials that they include, directly or through others.
///
/// Mustache renders a partial recursively, so that a template which includes itself, or whose partials multiply, would never
/// end or exhaust the stack.
struct PartialOrder {
    /// The maximum number of tags of a template with all partials, each as often as it is included.
    static let maximumTags = 20_000
    /// The maximum depth of partials in each other.
    static let maximumDepth = 20

    /// The number of tags and the depth of each template; templates that include themselves, or one that does, have none.
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

    /// Whether a template can be rendered in bounded time.
    func isBounded(_ name: String) -> Bool {
        sizes[name].map { $0.tags <= Self.maximumTags && $0.depth <= Self.maximumDepth } ?? false
    }

    /// The line of the partial by which a template includes itself; nil if it does not.
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
