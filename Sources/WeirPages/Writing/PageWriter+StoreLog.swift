import WeirBoards
import WeirJournals
import WeirOperations
import WeirStates

extension PageWriter {
    /// The log of a store, newest first, for `partials/store-log` and `partials/store-omitted`.
    func storeLog(_ view: StoreView) -> Fields {
        [
            "entries": view.log.map { entry($0, of: view) }, "logLimit": String(StoreView.logLimit),
            "omitted": view.omittedSteps > 0 ? format.integer(view.omittedSteps) : nil,
        ]
    }

    func entry(_ line: StoreLogLine, of view: StoreView) -> Fields {
        [
            "entryID": "entry-\(line.sequence)", "change": format.integer(line.sequence), "at": moment(line.at),
            "url": "\(base)/stores/\(view.id)?at=\(line.sequence)", "actor": line.step.actor,
            "what": words(for: line.step, of: view), "about": about(line.step, of: view),
            "effects": line.step.effects.enumerated().map { effect($1, at: line.sequence, $0, of: view.id) },
        ]
    }

    func words(for step: StoreStep, of view: StoreView) -> String {
        switch step.kind {
        case .opened: return strings[.storeOpened]
        case .action:
            let name = step.action?.name ?? ""
            return strings.optional("store.\(view.entry.kind).\(name)") ?? view.entry.form(name)?.title ?? Humanized(
                name
            ).text.nonEmpty ?? "\u{2013}"
        case .rehydrated: return strings[.storeRehydrated]
        case .returned:
            return strings(.storeReturned, ["change": step.returnedTo.map(format.integer) ?? ""])
        case .reset: return strings[.storeReset]
        case .unreadable: return strings[.storeUnreadable]
        }
    }

    /// The payload of an action in one line: the fields of its form, in order.
    private func about(_ step: StoreStep, of view: StoreView) -> String? {
        guard let action = step.action, let payload = action.payload.object else { return nil }
        let values = PayloadValues(format: format, strings: strings, operation: view.entry.kind)
        let names = view.entry.form(action.name)?.fields.map(\.name) ?? payload.keys.sorted()
        // A part of the state is named as on its buttons.
        let parts = Dictionary(view.offers.compactMap { offer in offer.anchor.map { ($0, offer.about) } }) { $1 }
        let texts = names.compactMap { payload[$0] }.map { values.text($0) }.map { text in
            String((parts[text].flatMap { $0 } ?? text).prefix(80))
        }.filter { !$0.isEmpty }
        return texts.isEmpty ? nil : texts.joined(separator: " \u{B7} ")
    }

    private func effect(_ effect: RecordedEffect, at sequence: SequenceNumber, _ index: Int, of store: String) -> Fields
    {
        let audience = effect.audience?.joined(separator: ", ")
        var fields: Fields = [
            "toast": nil, "navigation": nil, "download": nil, "other": nil,
            "audience": audience.flatMap { $0.isEmpty ? nil : $0 },
        ]
        switch effect.kind {
        case .toast(let message): fields["toast"] = message
        case .navigation(let path): fields["navigation"] = url(ofPath: path)
        case .download(let filename, _, _):
            fields["download"] = ["filename": filename, "url": url(ofEffect: index, at: sequence, of: store)] as Fields
        case .other(let name, _): fields["other"] = name
        }
        return fields
    }

    /// A path below the mount path as a URL of this host, or nil for anything else.
    private func url(ofPath path: String) -> String? { path.hasPrefix("/") ? base + URLText(request: path).text : nil }

    private func url(ofEffect index: Int, at sequence: SequenceNumber, of store: String) -> String {
        "\(base)/stores/\(store)/effects/\(sequence)/\(index)"
    }

    // MARK: Client effects

    func storeEffects(_ view: StoreView) -> Fields {
        [
            "store": view.id, "limit": String(StoreView.effectLimit),
            "items": view.effects.map { storeEffect($0, of: view) },
        ]
    }

    func storeEffect(_ line: StoreEffectLine, of view: StoreView) -> Fields {
        var fields: Fields = [
            "effectID": "effect-\(line.sequence)-\(line.index)", "place": "\(line.sequence).\(line.index)",
            "at": CivilTime(line.at).iso, "path": nil, "filename": nil,
            "audience": line.effect.audience.map { Self.json(.array($0.map(JSONValue.string))) },
        ]
        switch line.effect.kind {
        case .toast(let message): fields = fields.merging(["kind": "toast", "text": message])
        case .navigation(let path):
            fields = fields.merging(["kind": "navigation", "text": path, "path": url(ofPath: path)])
        case .download(let filename, _, _):
            fields = fields.merging([
                "kind": "download", "text": filename, "filename": filename,
                "path": url(ofEffect: line.index, at: line.sequence, of: view.id),
            ])
        case .other(let name, _): fields = fields.merging(["kind": "other", "text": name])
        }
        return fields
    }

    private static func json(_ value: JSONValue) -> String {
        do {
            return try value.text()
        } catch {
            return "[]"
        }
    }
}

extension String {
    fileprivate var nonEmpty: String? { isEmpty ? nil : self }
}
