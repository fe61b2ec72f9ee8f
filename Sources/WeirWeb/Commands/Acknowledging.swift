import Foundation
import Hummingbird
import WeirBoards
import WeirJournals
import WeirPages
import WeirStates

/// Acknowledges the failures of an operation, so that pages no longer list them under what needs a person.
struct Acknowledging {
    private static let longest = (note: 200, hours: 8_760)

    let dashboard: AudienceDashboard

    /// The form, for an operation whose newest run failed.
    func ask(_ operation: String, _ exchange: Exchange) async throws(Problem) -> Response {
        guard dashboard.board.catalog[operation] != nil else { throw .unknownOperation(operation) }
        let (view, frame) = (dashboard.board.view(), exchange.frame(dashboard))
        guard let page = dashboard.renderer.acknowledgement(of: operation, on: view, frame: frame) else {
            throw Problem(BoardError.nothingToAcknowledge)
        }
        return .page(page)
    }

    /// The body can have a `note` and the `hours` after which the failures are listed again.
    func create(of operation: String, _ exchange: Exchange) async throws(Problem) -> Response {
        let fields = try await dashboard.sentFields(exchange)
        let sent = fields["note"] ?? .null
        guard sent == .null || sent.string != nil else { throw .malformedBody(.noText, ["field": .text("note")]) }
        let note = (sent.string ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
        let duration = try hours(fields["hours"]).map { Duration.seconds($0 * 3_600) }
        let made: Acknowledgement
        do {
            made = try await dashboard.board.acknowledge(
                operation, note: note.isEmpty ? nil : String(note.prefix(Self.longest.note)), for: duration,
                actor: exchange.actor)
        } catch {
            throw Problem(error)
        }
        exchange.notes.add(made.until.map { "until \($0)" } ?? "until the next success")
        if let note = made.note { exchange.notes.add(note) }
        return try answer(["acknowledged": made.json], exchange, back: dashboard.mount.url(""))
    }

    func end(of operation: String, _ exchange: Exchange) async throws(Problem) -> Response {
        do { try await dashboard.board.endAcknowledgement(of: operation) } catch { throw Problem(error) }
        return try answer(["acknowledged": .null], exchange, back: exchange.wayBack(in: dashboard.mount))
    }

    private func answer(_ json: JSONValue, _ exchange: Exchange, back: String) throws(Problem) -> Response {
        if case .api = exchange.route { return try .json(json) }
        return exchange.wantsJSON ? try .json(json) : .seeOther(back)
    }

    private func hours(_ value: JSONValue?) throws(Problem) -> Int64? {
        guard let value, value != .null, value != .string("") else { return nil }
        let number = value.number.flatMap(Int64.init(exactly:)) ?? value.string.flatMap(Int64.init)
        guard let number, (1...Int64(Self.longest.hours)).contains(number) else {
            throw .malformedBody(.hours, ["most": .text(String(Self.longest.hours))])
        }
        return number
    }
}

extension Acknowledgement {
    var json: JSONValue {
        [
            "by": .string(by), "at": .string(at.description), "note": note.map(JSONValue.string) ?? .null,
            "until": until.map { .string($0.description) } ?? .null,
        ]
    }
}
