import WeirJournals
import WeirOperations
import WeirStates

/// What a reporter opens a run with, as the body of the request has it: `{"input":{…},"title":"…"}`, or nothing.
struct ReportOpening: Hashable, Sendable {
    /// The most characters of a title.
    static let titleLimit = 200

    let input: JSONValue
    let title: String?

    /// Reads the body; nil where there is none, which opens a run without input.
    ///
    /// As with messages, an array around it counts as what is in it.
    init(_ body: JSONValue?, limits: ReportLimits) throws(ReportMessages.Mistakes) {
        let values = body.map { $0.array ?? [$0] } ?? []
        guard values.count <= 1 else {
            throw .init(list: [
                InputMistake(field: "", detail: "must be one object: further messages are sent by POST.")
            ])
        }
        guard let value = values.first else {
            (input, title) = ([:], nil)
            return
        }
        guard let members = value.object else {
            throw .init(list: [InputMistake(field: "", detail: "must be an object with “input” and “title”.")])
        }
        var mistakes: [InputMistake] = []
        let input = members["input"] ?? [:]
        if input.object == nil { mistakes.append(InputMistake(field: "input", detail: "must be an object.")) }
        if limits.isTooLarge(input) { mistakes.append(InputMistake(field: "input", detail: limits.tooLarge)) }
        let sent = members["title"]
        let title = sent?.string
        if let sent, sent != .null, !Self.isTitle(title) {
            mistakes.append(
                InputMistake(field: "title", detail: "must be one line of 1 to \(Self.titleLimit) characters."))
        }
        for name in members.keys.filter({ !["input", "title"].contains($0) }).sorted().prefix(3) {
            mistakes.append(InputMistake(field: String(name.prefix(64)), detail: "is not known here."))
        }
        if !mistakes.isEmpty { throw .init(list: mistakes) }
        (self.input, self.title) = (input, title)
    }

    private static func isTitle(_ title: String?) -> Bool {
        guard let title, (1...titleLimit).contains(title.count), title.utf8.count <= 4 * titleLimit else {
            return false
        }
        return title.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }
}
