import Foundation
import Hummingbird
import Logging
import WeirBoards
import WeirFlows
import WeirOperations
import WeirPages
import WeirStates

struct ScheduleList {
    let dashboard: AudienceDashboard

    func show(_ exchange: Exchange) async throws(Problem) -> Response {
        let (views, frame) = (try await views(), exchange.frame(dashboard))
        return try await .page(for: exchange) { [renderer = dashboard.renderer] in
            renderer.schedules(views, frame: frame)
        }
    }

    func list() async throws(Problem) -> Response {
        try .json(["schedules": .array(try await views().map(\.json))])
    }

    private func views() async throws(Problem) -> [ScheduleView] {
        do { return try await dashboard.board.schedules(on: .pages) } catch { throw .crowdedAnswers }
    }

    func show(_ operation: String) async throws(Problem) -> Response {
        let view: ScheduleView?
        do { view = try await dashboard.board.schedule(of: operation) } catch { throw Problem(error) }
        guard let view else {
            throw .notFound("“\(operation.prefix(64))” has no schedule. The list of schedules names those there are.")
        }
        return try .json(view.json)
    }
}

struct SchedulePauses {
    private static let reasonLimit = 200

    let dashboard: AudienceDashboard

    /// The form that asks for a reason.
    func ask(_ operation: String, _ exchange: Exchange) async throws(Problem) -> Response {
        guard dashboard.board.catalog[operation]?.schedule != nil else {
            throw Problem(BoardError.unknownSchedule(of: operation))
        }
        return .page(dashboard.renderer.pause(of: operation, frame: exchange.frame(dashboard)))
    }

    func pause(_ operation: String, _ exchange: Exchange) async throws(Problem) -> Response {
        let reason = try await reason(exchange)
        let view: ScheduleView
        do {
            view = try await dashboard.board.pauseSchedule(of: operation, actor: exchange.actor, reason: reason)
        } catch {
            throw Problem(error)
        }
        if let reason { exchange.notes.add(reason) }
        dashboard.logger.notice(
            "A schedule was paused.", metadata: ["operation": "\(operation)", "actor": "\(Quoted(exchange.actor))"])
        return try answer(view, exchange)
    }

    /// The member or field `reason` of the body, which can be empty.
    private func reason(_ exchange: Exchange) async throws(Problem) -> String? {
        let reason = try await dashboard.sentTexts("reason", in: exchange)["reason"]
        let text = reason?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
        guard text.count <= Self.reasonLimit else {
            let message = Message(ProblemWording.longReason, ["limit": "\(Self.reasonLimit)"])
            throw Problem(
                "invalid-input", .unprocessableContent, "Invalid input", message,
                errors: [InputMistake(field: "reason", message: message)])
        }
        return text.isEmpty ? nil : text
    }

    func resume(_ operation: String, _ exchange: Exchange) async throws(Problem) -> Response {
        let view: ScheduleView
        do {
            view = try await dashboard.board.resumeSchedule(of: operation)
        } catch {
            throw Problem(error)
        }
        dashboard.logger.notice(
            "A schedule was resumed.", metadata: ["operation": "\(operation)", "actor": "\(Quoted(exchange.actor))"])
        return try answer(view, exchange)
    }

    /// Redirects browsers to the page that they came from, and from the form to the list.
    private func answer(_ view: ScheduleView, _ exchange: Exchange) throws(Problem) -> Response {
        guard case .api = exchange.route else {
            let (back, form) = (exchange.wayBack(in: dashboard.mount), "schedules/\(view.operation)/pause")
            if exchange.wantsJSON { return try .json(view.json) }
            return .seeOther(back == dashboard.mount.url(form) ? dashboard.mount.url("schedules") : back)
        }
        return try .json(view.json)
    }
}
