import Mustache
import WeirStates

/// An object of a payload as a template sees it: its members by name, or all of them as a list of names and texts.
struct ObjectValue: MustacheParent, MustacheTransformable {
    let json: [String: JSONValue]
    let values: PayloadValues

    func child(named name: String) -> Any? {
        if let act = acts[name] { return act }
        if name == "hasMistake", hasMistake { return true }
        return json[name].flatMap(values.value)
    }

    /// What can be done with this part of a store's state, by the names under which templates find it.
    var acts: [String: TrustedHTML] {
        guard let places = values.acts, json["acts"] == nil, let id = json["id"] else { return [:] }
        guard let acts = places[values.id(id)], let first = acts.first else { return [:] }
        var named = ["acts": TrustedHTML(acts), "act": first]
        if acts.count > 1 { named["moreActs"] = TrustedHTML(acts.dropFirst()) }
        return named
    }

    /// Whether one of the actions that belong to this part was filled in wrongly, so that its form has to be seen.
    var hasMistake: Bool { values.mistaken != nil && values.mistaken == json["id"].map(values.id) }

    func transform(_ name: String) -> Any? { name == "members" ? rows : nil }

    /// The maximum number of members of a state, or of an input, that are listed.
    static let rowLimit = 500

    /// The members in order, as words: what a template shows that knows nothing of them.
    private var rows: [Fields] {
        let members = json.filter { $0.value != .null }.sorted { $0.key < $1.key }
        let rows = members.prefix(Self.rowLimit).enumerated().map { index, member -> Fields in
            let (name, value) = member
            return ["memberID": "m\(index)", "name": name, "label": values.label(name), "text": values.text(value)]
        }
        return rows
            + values.more(members.count - rows.count).map { (["memberID": "more", "name": ""] as Fields).merging($0) }
    }

    static let transforms: Set<String> = ["members"]
}
