import HTTPTypes
import Hummingbird
import WeirAccess
import WeirBoards
import WeirOperations
import WeirPages
import WeirStates

/// The presets of an operation's form: those that its file declares, and those that a person saves.
///
/// Saved presets of known users belong to the account and appear in every browser; others are kept in a cookie that only
/// addresses of the operation receive. Secrets and files are never saved.
struct Presets {
    static let cookie = "weir-presets"

    /// The maximum number of an operation's presets, and the bytes of those in a cookie and of all in an account.
    private static let maximum = (presets: 12, cookie: 3_500, account: 65_536)

    let dashboard: AudienceDashboard
    let entry: CatalogEntry

    init(_ dashboard: AudienceDashboard, of operation: String) throws(Problem) {
        guard let entry = dashboard.board.catalog[operation] else { throw .unknownOperation(operation) }
        self.dashboard = dashboard
        self.entry = entry
    }

    /// Returns the sender's presets, including recent changes on other servers; invalid ones are omitted.
    func own(_ exchange: Exchange) async -> [InputPreset] {
        guard let person = exchange.person else { return presets(sent(in: exchange)) }
        await person.directory.lookUp()
        return presets(stored(person.directory.presets(of: person.principal)) ?? sent(in: exchange))
    }

    /// The form with the values of a preset: one of the sender's own, or one that the operation's file declares.
    func draft(_ name: String, _ exchange: Exchange) async throws(Problem) -> FormDraft {
        guard let preset = (await own(exchange) + entry.presets).first(where: { $0.name == name }) else {
            throw .notFound(.unknownPreset, ["name": "\(name.prefix(InputPreset.nameLimit))"])
        }
        return FormDraft(preset, fields: entry.fields)
    }

    /// Asks for the name of the values in a start form.
    func ask(_ exchange: Exchange) async throws(Problem) -> Response {
        let sent = try await InputBody(dashboard: dashboard, exchange: exchange, entry: entry).readWithoutFile()
        let values = InputPreset.values(of: sent.input, fields: entry.fields)
        let text = try text(of: values)
        var frame = exchange.frame(dashboard)
        // The values are not part of an address, so another language begins with the operation's form.
        frame.path = dashboard.mount.url("operations/\(entry.id)")
        return try await .page(for: exchange) { [renderer = dashboard.renderer, entry, frame] in
            renderer.preset(of: entry, values, text: text, frame: frame)
        }
    }

    /// Saves or removes the preset in a form, then redirects to the operation's form.
    func change(_ exchange: Exchange) async throws(Problem) -> Response {
        var body = BodyReader(
            exchange, limit: Int64(dashboard.configuration.maximumBodyBytes), budget: dashboard.bodies)
        let bytes = try await body.collect()
        let change = try await bytes.read { (bytes) throws(Problem) in try self.change(in: FormFields(body: bytes)) }
        let (own, page) = (sent(in: exchange), dashboard.mount.url("operations/\(entry.id)"))
        let query = if case .save(let preset) = change { "?preset=" + PercentEncoding.encode(preset.name) } else { "" }
        var response = Response.seeOther(page + query + "#start")
        guard let person = exchange.person else {
            let text = try applied(change, to: own)
            guard text.utf8.count <= Self.maximum.cookie else { throw .malformedBody(.longPreset) }
            set(text, page, in: &response)
            return response
        }
        do {
            try await person.directory.changePresets(of: person.principal) { [self] text in
                let presets = try applied(change, to: stored(text) ?? own)
                let changed = replacing(presets, in: text)
                guard changed.utf8.count <= Self.maximum.account else { throw Problem.malformedBody(.longPreset) }
                return changed
            }
        } catch {
            throw .ofChange(error)
        }
        if !own.isEmpty { set("", page, in: &response) }
        return response
    }

    private enum Change: Sendable {
        case save(InputPreset)
        case remove(String)
    }

    private func change(in fields: FormFields) throws(Problem) -> Change {
        if let name = fields["remove"] { return .remove(name) }
        let name = (fields["name"] ?? "").trimmingPrefix(while: \.isWhitespace)
        guard InputPreset.isName(String(name)), name.contains(where: { !$0.isWhitespace }) else {
            throw .malformedBody(.presetName, ["limit": "\(InputPreset.nameLimit)"])
        }
        guard let values = Self.values(fields["values"] ?? "") else { throw .malformedBody(.presetValues) }
        return .save(InputPreset(name: String(name), input: InputPreset.known(in: values, fields: entry.fields)))
    }

    private func applied(_ change: Change, to text: String) throws(Problem) -> String {
        var presets = presets(text)
        switch change {
        case .remove(let name): presets.removeAll { $0.name == name }
        case .save(let preset):
            presets.removeAll { $0.name == preset.name }
            presets.append(preset)
            guard presets.count <= Self.maximum.presets else {
                throw .malformedBody(.tooManyPresets, ["limit": "\(Self.maximum.presets)"])
            }
        }
        var fields: [FormFields.Field] = []
        for preset in presets { fields.append(.init(name: preset.name, value: try self.text(of: preset.input))) }
        return FormFields(fields).text
    }

    private func text(of values: JSONValue) throws(Problem) -> String {
        do { return try values.text() } catch { throw .malformedBody(.presetValues) }
    }

    // MARK: Texts

    private func presets(_ text: String) -> [InputPreset] {
        (FormFields(text)?.fields ?? []).prefix(Self.maximum.presets).compactMap { field in
            guard InputPreset.isName(field.name), let values = Self.values(field.value) else { return nil }
            return InputPreset(name: field.name, input: InputPreset.known(in: values, fields: entry.fields))
        }
    }

    private static func values(_ text: String) -> JSONValue? {
        // Not by a conditional expression, in which nil is a null of JSON.
        guard let value = try? JSONValue(parsing: text), value.object != nil else { return nil }
        return value
    }

    private func sent(in exchange: Exchange) -> String { exchange.request.cookies[Self.cookie]?.value ?? "" }

    /// The operation's presets in the text of an account, which has those of all operations; nil if there never were any.
    private func stored(_ text: String?) -> String? { FormFields(text ?? "")?[entry.id] }

    private func replacing(_ presets: String, in text: String?) -> String {
        let others = (FormFields(text ?? "")?.fields ?? []).filter { $0.name != entry.id }
        return FormFields(others + [.init(name: entry.id, value: presets)]).text
    }

    private func set(_ value: String, _ path: String, in response: inout Response) {
        response.setCookie(
            Cookie(
                name: Self.cookie, value: value, maxAge: value.isEmpty ? 0 : 31_536_000, path: path, secure: false,
                httpOnly: true, sameSite: .lax))
    }
}
