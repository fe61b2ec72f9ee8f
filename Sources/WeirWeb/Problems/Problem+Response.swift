import HTTPTypes
import Hummingbird
import WeirOperations
import WeirPages
import WeirStates

extension Problem {
    /// The document, as JSON, in the reader's language.
    ///
    /// `instance` is the path that was asked for.
    func document(instance: String, by renderer: PageRenderer, in locale: PageLocale) -> JSONValue {
        let title = renderer.problemTitle(status.code, locale: locale) ?? title
        var members: [String: JSONValue] = [
            "type": .string("urn:weir:problem:" + kind), "title": .string(title),
            "status": .integer(Int64(status.code)), "detail": .string(renderer.text(of: message, locale: locale)),
            "instance": .string(instance),
        ]
        if !errors.isEmpty {
            members["errors"] = .array(
                errors.map {
                    [
                        "field": .string($0.field), "detail": .string(renderer.text(of: $0.message, locale: locale)),
                    ]
                })
        }
        return .object(members)
    }

    /// What whoever asked is told, as a page, in their language.
    func page(by renderer: PageRenderer, _ frame: PageFrame) -> Response {
        let page = PageProblem(status: status.code, title: title, detail: message)
        return .page(renderer.problem(page, frame: frame), status: status)
    }

    /// What whoever asked for a path, with its query, is told, as a document.
    func document(at target: String, by renderer: PageRenderer, in locale: PageLocale) -> Response {
        let path = String(target.prefix { $0 != "?" }.prefix(1_000))
        let headers: HTTPFields = [.contentLanguage: locale.tag]
        do {
            return try .json(
                document(instance: path, by: renderer, in: locale), type: "application/problem+json", status: status,
                headers: headers)
        } catch {
            return Response(status: .internalServerError, headers: [.cacheControl: "no-store"])
        }
    }
}
