import WeirAccess
import WeirBoards
import WeirOperations
import WeirStates

extension PageWriter {
    /// The title of a store, or its id if the catalog does not contain it.
    func storeTitle(_ id: String) -> String {
        strings.optional("store.\(id).title") ?? catalog.store(id)?.title ?? id
    }

    func store(_ id: String) -> Fields {
        let entry = catalog.store(id)
        let summary = [id, entry?.kind].compactMap { $0 }.lazy.compactMap { strings.optional("store.\($0).summary") }
        return [
            "id": id, "title": storeTitle(id), "url": "\(base)/stores/\(id)",
            "summary": summary.first ?? entry?.summary ?? "",
        ]
    }

    func stores(_ board: BoardView) -> Fields { ["cards": board.stores.map { storeCard($0, isWhole: true) }] }

    /// The card of a store, with its state if `isWhole` is true.
    func storeCard(_ view: StoreView, isWhole: Bool) -> Fields {
        let cardID = "store-\(view.id)"
        let place = Place(uid: cardID, isCompact: true)
        return [
            "cardID": cardID, "store": store(view.id),
            "chip": storeChip(view.state, of: view.entry).merging(["chipID": "\(cardID)-chip"]),
            "state": isWhole ? storePanel(view, id: "\(cardID)-state", place: place, acts: []) : nil,
            "last": view.log.first.map { entry($0, of: view) },
        ]
    }

    func storePage(_ view: StoreView, past: StorePast?, draft: FormDraft?) -> Fields {
        let isPast = past != nil
        return storeSection(view, past: past, draft: draft).merging(storeLog(view)).merging([
            "store": store(view.id), "apiURL": "\(base)/api/v1/stores/\(view.id)",
            "reset": isPast || !allows(.restore, onStore: view.id)
                ? nil : ["formID": "reset-store", "action": "\(base)/stores/\(view.id)/reset"] as Fields,
            "effects": isPast ? nil : storeEffects(view), "scrubber": storeScrubber(view, past: past),
        ])
    }

    func storeSection(_ view: StoreView, past: StorePast? = nil, draft: FormDraft?) -> Fields {
        let isPast = past != nil
        let acts = acts(view, isPast: isPast, draft: draft)
        let panel = storePanel(view, id: "store-state", place: Place(uid: "store", isCompact: false), acts: acts)
        // Actions that the state's own template contains are not offered again below.
        let placed = panel.ids
        let rest = acts.filter { !placed.contains($0.id) }
        let buttons = rest.filter(\.isButton).map(\.fields)
        let forms = rest.filter { !$0.isButton }.map { $0.fields.merging(["isFolded": !isPast && rest.count > 1]) }
        return [
            "chip": storeChip(view.state, of: view.entry).merging(["chipID": "store-chip"]), "state": panel,
            "last": view.log.first.map { entry($0, of: view) },
            "acts": rest.isEmpty ? nil : ["buttons": buttons, "forms": forms] as Fields,
            "past": allows(.restore, onStore: view.id)
                ? past.map { past -> Fields in
                    [
                        "formID": "return", "action": "\(base)/stores/\(view.id)/state", "at": String(view.sequence),
                        "difference": difference(past.latest.state.payload, view.state.payload, of: view.entry.kind)
                            .merging(["before": strings[.momentsNow], "after": strings[.momentsThen]]),
                    ]
                } : nil,
        ]
    }

    /// The state of a store as shape, word and colour; a state that is not an enum shows its phase.
    func storeChip(_ state: StateRecord, of entry: StoreEntry) -> Fields {
        let chip = chip(state.caseName, state.phase, in: entry.kind)
        guard state.caseName == "value", strings.optional("case.\(entry.kind).value") == nil else { return chip }
        return chip.merging(["word": word(for: state.phase)])
    }

    func storePanel(_ view: StoreView, id: String, place: Place, acts: [Act]) -> TrustedHTML {
        let state = view.state
        var values = PayloadValues(format: format, strings: strings, operation: view.entry.kind)
        values.acts = Dictionary(grouping: acts.filter { $0.anchor != nil }) { $0.anchor ?? "" }
            .mapValues { list in list.map { render("partials/act", $0.fields.merging(["isFolded": !$0.isButton])) } }
        values.mistaken = acts.first(where: \.isMistaken)?.anchor
        let context: Fields = [
            "uid": place.uid, "compact": place.isCompact, "case": label(of: state.caseName, in: view.entry.kind),
            "store": store(view.id), "progress": gauge(state.progress),
        ]
        let body = render(
            storeTemplate(for: state, of: view.entry), context.merging(members(of: values.payload(state.payload))))
        return render(
            "partials/state",
            [
                "id": id, "tone": state.phase.tone, "body": body, "cause": nil,
                "gauge": state.phase == .active ? gauge(state.progress, in: place) : nil,
            ])
    }

    /// The name of the template of a store's state: its own, or the default one.
    func storeTemplate(for state: StateRecord, of entry: StoreEntry) -> String {
        let own = "stores/\(entry.kind)/\(state.caseName)"
        return library.contains(own) ? own : "stores/default/state"
    }
}

extension PageWriter {
    /// An offered action, with the fields of `partials/act`.
    struct Act {
        /// The id of its form, or of its button if it is disabled.
        let id: String
        let anchor: String?
        let isButton: Bool
        let isMistaken: Bool
        let fields: Fields
    }

    /// The actions on a store; on a page of the past, those of that moment.
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

    /// The id of an offer's form, derived from the values it sends, so that it does not depend on other offers.
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
