import Mustache
import States

/// An object of a payload as a template sees it: its members by name, or all of them as a list of names and texts.
struct ObjectValue: MustacheParent, MustacheTransformable {
    let json: [String: JSONValue]
    let values: PayloadValues

    func child(named name: String) -> Any? {
        if name == "acts", let acts { return acts }
        return json[name].flatMap(values.value)
    }

    /// What can be done with this part of a store's state.
    var acts: Markup? {
        guard let acts = values.acts, json["acts"] == nil, let id = json["id"] else { return nil }
        return acts[values.id(id)] ?? Markup("")
    }

    func transform(_ name: String) -> Any? { name == "members" ? rows : nil }

    /// The members in order, as words: what a template shows that knows nothing of them.
    private var rows: [Fields] {
        json.sorted { $0.key < $1.key }.filter { $0.value != .null }.map { name, value in
            ["name": name, "label": values.label(name), "text": values.text(value)]
        }
    }

    static let transforms: Set<String> = ["members"]
}
