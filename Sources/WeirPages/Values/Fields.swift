import Mustache

/// What a template can name: values by name, each fit for markup.
///
/// Texts are cleaned on their way in; `nil` means that there is no such value here, though there can be.
struct Fields: MustacheParent, ExpressibleByDictionaryLiteral {
    private(set) var members: [String: Any] = [:]
    /// The names that have no value here, though they can have one: what the check knows to be no mistake.
    private(set) var absent: Set<String> = []

    init() {}

    init(dictionaryLiteral elements: (String, Any?)...) {
        for (name, value) in elements { self[name] = value }
    }

    subscript(name: String) -> Any? {
        get { members[name] }
        set {
            members[name] = (newValue as? String).map { CleanText($0).text } ?? newValue
            if newValue == nil { absent.insert(name) }
        }
    }

    func child(named name: String) -> Any? { members[name] }

    /// These and those; of two with one name, those.
    func merging(_ others: Fields) -> Fields {
        var all = self
        all.members.merge(others.members) { $1 }
        all.absent.formUnion(others.absent)
        return all
    }
}
