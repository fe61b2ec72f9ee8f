import HTTPTypes
import Hummingbird
import WeirBoards
import WeirPages
import WeirStates

/// The operations that a browser has pinned to the head of its overview, kept in a cookie, which `overview.js` reads and writes, too.
struct Pins {
    static let cookie = "weir-pins"

    let dashboard: AudienceDashboard

    /// What a request says of how its reader has arranged the overview.
    static func arrangement(of exchange: Exchange) -> Arrangement {
        Arrangement(parameters: exchange.target.query.dictionary, pins: pins(in: exchange.request))
    }

    private static func pins(in request: Request) -> Arrangement.Pins {
        Arrangement.Pins(request.cookies[cookie]?.value ?? "")
    }

    /// Pins the operation that a form names, or takes its pin away, and sends the browser back.
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
