import Hummingbird
import WeirBoards
import WeirPages
import WeirStates

/// The operations that a browser has pinned to the top of its overview, in a cookie that `overview.js` also reads and writes.
struct Pins {
    static let cookie = "weir-pins"

    let dashboard: AudienceDashboard

    static func arrangement(of exchange: Exchange) -> Arrangement {
        Arrangement(parameters: exchange.target.query.dictionary, pins: pins(in: exchange.request))
    }

    private static func pins(in request: Request) -> Arrangement.Pins {
        Arrangement.Pins(request.cookies[cookie]?.value ?? "")
    }

    func keep(_ exchange: Exchange) async throws(Problem) -> Response {
        var body = BodyReader(exchange, limit: 16_384, budget: dashboard.bodies)
        let bytes = try await body.collect()
        guard let text = String(validating: bytes.readableBytesView, as: UTF8.self), let id = FormFields(text)?["pin"]
        else { throw .malformedBody(.unnamedPin) }
        var pins = Self.pins(in: exchange.request)
        if !pins.ids.contains(id) {
            guard dashboard.board.catalog[id] != nil else { throw .unknownOperation(id) }
            guard pins.ids.count < Arrangement.Pins.maximum else {
                throw .malformedBody(.tooManyPins, ["limit": "\(Arrangement.Pins.maximum)"])
            }
        }
        pins.toggle(id)
        var response = Response.seeOther(exchange.wayBack(in: dashboard.mount))
        response.setCookie(
            Cookie(
                name: Self.cookie, value: pins.text, maxAge: pins.ids.isEmpty ? 0 : 31_536_000,
                path: dashboard.mount.description, secure: false, httpOnly: false, sameSite: .lax))
        return response
    }
}

struct Languages {
    static let cookie = "weir-lang"

    let dashboard: AudienceDashboard

    func choose(_ tag: String, _ exchange: Exchange) throws(Problem) -> Response {
        guard let locale = PageLocale(tag), dashboard.renderer.locales.contains(locale) else {
            throw .malformedQuery("lang", oneOf: dashboard.renderer.locales.map(\.tag))
        }
        var query = exchange.target.query
        query.fields.removeAll { $0.name == "lang" }
        var response = Response.seeOther(query.fields.isEmpty ? exchange.path : exchange.path + "?" + query.text)
        response.setCookie(
            Cookie(
                name: Self.cookie, value: locale.tag, maxAge: 31_536_000, path: dashboard.mount.description,
                secure: false, httpOnly: true, sameSite: .lax))
        return response
    }
}
