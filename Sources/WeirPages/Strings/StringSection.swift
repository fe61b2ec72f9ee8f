import Mustache

/// The strings whose keys begin alike: `t.nav` holds what `t.nav.runs` is found in.
struct StringSection: MustacheParent, Sendable {
    let texts: [String: String]
    private let children: [String: any Sendable]

    init(_ texts: [String: String]) {
        self.texts = texts
        var groups: [String: [String: String]] = [:]
        var children: [String: any Sendable] = [:]
        for (key, text) in texts {
            guard let dot = key.firstIndex(of: ".") else {
                children[key] = Self.leaf(text)
                continue
            }
            groups[String(key[..<dot]), default: [:]][String(key[key.index(after: dot)...])] = text
        }
        for (name, group) in groups where children[name] == nil { children[name] = StringSection(group) }
        self.children = children
    }

    func child(named name: String) -> Any? { children[name] }

    /// A text with tags becomes a template; one whose tags cannot be used stays as it is, and `check()` says so.
    private static func leaf(_ text: String) -> any Sendable {
        guard text.contains("{{"), problem(with: TemplateScanner(text)) == nil else { return text }
        do {
            return try MustacheTemplate(string: text)
        } catch {
            return text
        }
    }

    /// Why the tags of a text cannot be used, as a phrase; nil if they can.
    ///
    /// A text that showed other texts or templates could show itself, without end.
    static func problem(with scanner: TemplateScanner) -> String? {
        if let tag = scanner.forbidden.first?.tag { return "\(tag) is not supported in strings" }
        if scanner.tooDeep != nil { return "sections are nested too deep" }
        return TemplateTag.leadOn(scanner.tags) ? "a string cannot include templates or other strings" : nil
    }
}
