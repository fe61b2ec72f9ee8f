import WeirAccess
import WeirBoards
import WeirOperations
import WeirStates

extension PageWriter {
    /// The links to an operation's presets, and the forms that remove the reader's own; nil if there are none.
    func presets(_ operation: String, own: [InputPreset], chosen: String?) -> Fields? {
        let names = own.map(\.name)
        let all = names + (catalog[operation]?.presets ?? []).map(\.name).filter { !names.contains($0) }
        guard !all.isEmpty else { return nil }
        return [
            "list": all.map { name -> Fields in
                ["name": name, "url": presetURL(operation, name), "isHere": name == chosen]
            },
            "own": own.isEmpty
                ? nil : ["action": "\(base)/operations/\(operation)/presets", "names": names] as Fields,
        ]
    }

    func presetURL(_ operation: String, _ name: String) -> String {
        "\(base)/operations/\(operation)?\(URLText.query("preset", name))#start"
    }

    /// The URL that asks for a name for the values of a form; nil if a preset would keep none of its fields.
    func presetFormURL(_ entry: CatalogEntry) -> String? {
        guard entry.fields.contains(where: \.isKeptInPresets), !permissions.isLink else { return nil }
        return "\(base)/operations/\(entry.id)/presets/new"
    }

    /// The page that asks for the name of a preset, and shows its values.
    func presetPage(_ entry: CatalogEntry, _ values: JSONValue, text: String) -> Fields {
        let payload = PayloadValues(format: format, strings: strings, operation: entry.id)
        let rows = entry.fields.filter(\.isKeptInPresets).compactMap { field -> Fields? in
            let text = values[field.name].flatMap { $0 == .null ? nil : inputText($0, payload) } ?? ""
            return text.isEmpty ? nil : ["label": label(of: field, in: entry.id), "text": text]
        }
        return [
            "operation": operation(entry.id), "action": "\(base)/operations/\(entry.id)/presets",
            "values": text, "rows": rows, "maximumLength": String(InputPreset.nameLimit),
            "leavesOut": entry.fields.contains { !$0.isKeptInPresets },
        ]
    }
}
