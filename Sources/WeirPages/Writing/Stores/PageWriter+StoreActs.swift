import WeirAccess
import WeirBoards
import WeirOperations
import WeirStates

extension PageWriter {
    /// An offer of an action, with what `partials/act` shows of it.
    struct Act {
        /// The id of its form, or of its button where it is disabled.
        let id: String
        /// Which part of the state it belongs to.
        let anchor: String?
        /// Whether nothing is asked for.
        let isButton: Bool
        /// Whether it was filled in wrongly.
        let isMistaken: Bool
        let fields: Fields
    }

    /// What can be done in a store; on a page of the past, what could.
    func acts(_ view: StoreView, isPast: Bool, draft: FormDraft?) -> [Act] {
        guard allows(.act, onStore: view.id) else { return [] }
        var known: [String: Int] = [:]
        return view.offers.compactMap { offer in
            guard let form = view.entry.form(offer.form) else { return nil }
            let values = offer.values.object ?? [:]
            var id = Self.formID(form.name, values)
            known[id, default: 0] += 1
            if let count = known[id], count > 1 { id += "-\(count)" }
            return act(form, offer, values, id: id, of: view.entry, isPast: isPast, draft: draft)
        }
    }

    /// The id of the form for an offer: by what it sends, so that it stays the same whatever else is offered.
    private static func formID(_ name: String, _ values: [String: JSONValue]) -> String {
        (["act", name] + values.sorted { $0.key < $1.key }.map { text(of: $0.value) }).joined(separator: "-")
            .map { $0.isASCII && ($0.isLetter || $0.isNumber) ? String($0) : "-" }.joined()
    }

    private func act(
        _ form: ActionForm, _ offer: ActionOffer, _ values: [String: JSONValue], id: String, of entry: StoreEntry,
        isPast: Bool, draft: FormDraft?
    ) -> Act {
        let draft = draft.flatMap { $0.form == id ? $0 : nil }
        let open = form.fields.filter { values[$0.name] == nil && $0.kind != .file }
        let names = Set(open.map(\.name))
        let stray = (draft?.errors ?? []).filter { !names.contains($0.field) }.map { strings($0.message) }
        let whole = ([draft?.message.map { strings($0) }].compactMap { $0 } + stray).joined(separator: " ")
        let title = strings.optional("store.\(entry.kind).\(form.name)") ?? form.title
        let fixed = form.fields.filter { values[$0.name] != nil }
        return Act(
            id: id, anchor: offer.anchor, isButton: open.isEmpty, isMistaken: draft != nil,
            fields: [
                "formID": id, "name": form.name, "title": offer.title ?? title, "about": offer.about,
                "tone": form.tone == .plain ? nil : form.tone.rawValue,
                "action": "\(base)/stores/\(entry.id)/actions?form=\(URLText(value: id).text)",
                "isEnabled": offer.isEnabled && !isPast, "isForm": !open.isEmpty, "isFolded": false,
                "isOpen": draft != nil,
                "hidden": fixed.map { ["name": $0.name, "value": Self.text(of: values[$0.name])] as Fields },
                "fields": open.map { field($0, of: entry.kind, formID: id, draft: draft) },
                "error": whole.isEmpty ? nil : whole,
            ])
    }
}
