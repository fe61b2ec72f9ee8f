import WeirAccess
import WeirBoards
import WeirJournals
import WeirStates

extension PageWriter {
    /// The name of a store for people; its id when the catalog no longer has it.
    func storeTitle(_ id: String) -> String {
        strings.optional("store.\(id).title") ?? catalog.store(id)?.title ?? id
    }

    /// A store's name and address.
    func store(_ id: String) -> Fields {
        let entry = catalog.store(id)
        let summary = [id, entry?.kind].compactMap { $0 }.lazy.compactMap { strings.optional("store.\($0).summary") }
        return [
            "id": id, "title": storeTitle(id), "url": "\(base)/stores/\(id)",
            "summary": summary.first ?? entry?.summary ?? "",
        ]
    }

    /// All stores.
    func stores(_ board: BoardView) -> Fields { ["cards": board.stores.map { storeCard($0, isWhole: true) }] }

    /// A store's card, with its state or only in words.
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

    /// A store's page.
    func storePage(_ view: StoreView, past: StorePast?, draft: FormDraft?) -> Fields {
        let isPast = past != nil
        return storeSection(view, past: past, draft: draft).merging(storeLog(view)).merging([
            "store": store(view.id), "apiURL": "\(base)/api/v1/stores/\(view.id)",
            "reset": isPast || !allows(.restore, onStore: view.id)
                ? nil : ["formID": "reset-store", "action": "\(base)/stores/\(view.id)/reset"] as Fields,
            "effects": isPast ? nil : storeEffects(view), "scrubber": storeScrubber(view, past: past),
        ])
    }

    /// Where a store stands and what can be done, for `partials/store`.
    func storeSection(_ view: StoreView, past: StorePast? = nil, draft: FormDraft?) -> Fields {
        let isPast = past != nil
        let acts = acts(view, isPast: isPast, draft: draft)
        let panel = storePanel(view, id: "store-state", place: Place(uid: "store", isCompact: false), acts: acts)
        // What the state's own template has put somewhere is not offered a second time below.
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

    /// A store's state as shape, word and colour; a state that is no enum goes by its phase.
    func storeChip(_ state: StateRecord, of entry: StoreEntry) -> Fields {
        let chip = chip(state.caseName, state.phase, in: entry.kind)
        guard state.caseName == "value", strings.optional("case.\(entry.kind).value") == nil else { return chip }
        return chip.merging(["word": word(for: state.phase)])
    }

    /// The element that shows a store's state: its own template, and the gauge.
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

    /// The name of the template for a case of a store: its own, or the default one.
    func storeTemplate(for state: StateRecord, of entry: StoreEntry) -> String {
        let own = "stores/\(entry.kind)/\(state.caseName)"
        return library.contains(own) ? own : "stores/default/state"
    }
}
