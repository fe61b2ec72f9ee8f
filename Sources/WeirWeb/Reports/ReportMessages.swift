import WeirJournals
import WeirOperations
import WeirStates

/// The messages in the body of a reporter's request: one, or an array of them.
///
/// ```
/// {"state":"uploading","completed":40,"total":100,"unit":"bytes","file":"a.bin"}
/// {"state":"failed","phase":"failed","message":"The disk is full."}
/// {"line":"2 files copied","channel":"stderr"}
/// {"beat":true}
/// ```
/// Each can have `happenedAt`, its time by the reporter's clock. A state has a name and optional progress; pages show all its other members. With `phase` it ends the run: it must be the
/// last message, sent with `Stream-Closed: true`. A beat is not recorded.
struct ReportMessages: Hashable, Sendable {
    struct Mistakes: Error, Hashable {
        let list: [InputMistake]
    }

    private(set) var entries: [Report.Entry] = []
    /// When the entries, and after them the end, happened, where the messages say so.
    private(set) var happenedAt: [Timestamp?] = []
    /// The state that ends the run, if the messages contain one.
    private(set) var end: StateRecord?

    private static let outcomes: [Phase] = [.succeeded, .failed, .cancelled]
    private static let known: Set<String> = ["state", "completed", "total", "unit", "phase", "happenedAt"]

    /// Parses a JSON body; collects the mistakes of all messages, each with the index of its message.
    init(_ body: JSONValue, isClosing: Bool, limits: ReportLimits) throws(Mistakes) {
        let isList = body.array != nil
        let values = body.array ?? [body]
        if values.isEmpty {
            throw Mistakes(list: [InputMistake(field: "", detail: "must have at least one message.")])
        }
        if values.count > limits.messages {
            let detail = "must have \(limits.messages) messages at most, not \(values.count). Send several requests."
            throw Mistakes(list: [InputMistake(field: "", detail: detail)])
        }
        var mistakes: [InputMistake] = []
        for (index, value) in values.enumerated() {
            var reader = MessageReader(value, place: isList ? "[\(index)]" : "", limits: limits)
            read(&reader)
            if reader.outcome != nil, !isClosing || index < values.count - 1 {
                reader.add(
                    "phase", "ends the run, so it must be the last message of a request with Stream-Closed: true.")
            }
            mistakes += reader.mistakes
            // More mistakes than this add no information.
            if mistakes.count >= 20 { break }
        }
        if !mistakes.isEmpty { throw Mistakes(list: mistakes) }
    }

    private mutating func read(_ reader: inout MessageReader) {
        guard let members = reader.members else { return }
        switch (members["state"], members["line"], members["beat"]) {
        case (_?, nil, nil):
            guard let state = reader.state(known: Self.known, outcomes: Self.outcomes) else { return }
            happenedAt.append(reader.happenedAt())
            if state.phase.isEnded { end = state } else { entries.append(.state(state)) }
        case (nil, _?, nil):
            guard let line = reader.line() else { return }
            happenedAt.append(reader.happenedAt())
            entries.append(line)
        case (nil, nil, _?): reader.beat()
        default: reader.add("", "must have one of “state”, “line” and “beat”.")
        }
    }
}

/// Parses one message and collects its mistakes.
private struct MessageReader {
    let place: String
    let members: [String: JSONValue]?
    private let limits: ReportLimits
    private(set) var mistakes: [InputMistake] = []
    /// The phase that ends the run, if the message has one.
    private(set) var outcome: Phase?

    init(_ value: JSONValue, place: String, limits: ReportLimits) {
        self.place = place
        self.limits = limits
        members = value.object
        if members == nil { add("", "must be an object.") }
    }

    mutating func add(_ name: String, _ detail: String) {
        let field = name.isEmpty ? place : place.isEmpty ? name : place + "." + name
        mistakes.append(InputMistake(field: field, detail: detail))
    }

    mutating func state(known: Set<String>, outcomes: [Phase]) -> StateRecord? {
        let before = mistakes.count
        let name = members?["state"]?.string ?? ""
        if !StateName.isValid(name) {
            add("state", "must be a name of 1 to 64 letters, digits, “-”, “_” and “.” that begins with a letter.")
        }
        var phase = Phase.active
        if let sent = members?["phase"] {
            let named = sent.string.flatMap(Phase.init(rawValue:))
            if let named, outcomes.contains(named) {
                outcome = named
                phase = named
            } else if named != .active {
                add("phase", "must be “succeeded”, “failed” or “cancelled”; leave it out while the work continues.")
            }
        }
        let progress = progress()
        let payload = (members ?? [:]).filter { !known.contains($0.key) }
        if limits.isTooLarge(.object(payload)) { add("", limits.tooLarge) }
        guard mistakes.count == before else { return nil }
        return StateRecord(caseName: name, payload: .object(payload), phase: phase, progress: progress)
    }

    private mutating func progress() -> WorkProgress? {
        let completed = count("completed")
        let total = count("total")
        var unit = WorkProgress.Unit.items
        if let sent = members?["unit"] {
            if let known = sent.string.flatMap(WorkProgress.Unit.init(rawValue:)) {
                unit = known
            } else {
                add("unit", "must be “bytes”, “items” or “percent”.")
            }
        }
        guard let completed else {
            if members?["total"] != nil, members?["completed"] == nil { add("total", "needs “completed” beside it.") }
            return nil
        }
        return WorkProgress(completed, of: total, unit: unit)
    }

    private mutating func count(_ name: String) -> Int64? {
        guard let sent = members?[name], sent != .null else { return nil }
        guard let number = sent.integer, let count = SequenceNumber(exactly: number) else {
            add(name, "must be a whole number from 0 to \(SequenceNumber.max).")
            return nil
        }
        return count.rawValue
    }

    mutating func line() -> Report.Entry? {
        let before = mistakes.count
        let text = members?["line"]?.string
        if let text {
            if text.utf8.count > limits.lineBytes { add("line", "must have \(limits.lineBytes) bytes at most.") }
            if text.utf8.contains(UInt8(ascii: "\n")) { add("line", "must be one line. Send each as a message.") }
        } else {
            add("line", "must be a text.")
        }
        var channel = OutputChannel.standardOutput
        if let sent = members?["channel"] {
            let known = sent.string.flatMap(OutputChannel.init(rawValue:))
            if let known, known != .notice {
                channel = known
            } else {
                add("channel", "must be “stdout” or “stderr”.")
            }
        }
        let continues = members?["continues"]?.bool
        if members?["continues"] != nil, continues == nil { add("continues", "must be true or false.") }
        refuseOthers(than: ["line", "channel", "continues", "happenedAt"])
        return mistakes.count == before ? text.map { .line($0, channel, continues: continues ?? false) } : nil
    }

    mutating func happenedAt() -> Timestamp? {
        guard let sent = members?["happenedAt"], sent != .null else { return nil }
        let moment = ReportNames.moment(sent)
        if moment == nil { add("happenedAt", ReportNames.noMoment) }
        return moment
    }

    mutating func beat() {
        if members?["beat"] != true { add("beat", "must be true.") }
        refuseOthers(than: ["beat"])
    }

    private mutating func refuseOthers(than known: Set<String>) {
        for name in (members ?? [:]).keys.filter({ !known.contains($0) }).sorted().prefix(3) {
            add(String(name.prefix(64)), "is not known here.")
        }
    }
}

enum ReportNames {
    /// Whether a text is a valid operation id, as in a catalog.
    static func isOperation(_ id: String) -> Bool { id.utf8.count <= 40 && Topic.isID(id) }

    static func isRun(_ id: String) -> Bool { Topic.isID(id) }

    /// A time in ISO 8601 since 1970; nil for any other value.
    static func moment(_ value: JSONValue) -> Timestamp? {
        value.string.flatMap(Timestamp.init).flatMap { $0.milliseconds >= 0 ? $0 : nil }
    }

    static let noMoment = "must be a time in ISO 8601 with a zone, such as 2026-11-21T12:00:00.250Z."
}

package struct ReportLimits: Sendable {
    /// The maximum number of messages in a request.
    package var messages = 10_000
    /// The maximum bytes of a line.
    package var lineBytes = 65_536
    /// The maximum bytes of a state or an opening input, as JSON.
    package var stateBytes = 262_144

    /// Makes the default limits.
    package init() {}

    var tooLarge: String { "must have \(stateBytes) bytes at most as JSON, the limit that reports.state-bytes sets." }

    func isTooLarge(_ value: JSONValue) -> Bool {
        // The value was parsed from JSON, so encoding it cannot fail.
        ((try? value.text())?.utf8.count ?? 0) > stateBytes
    }
}

/// The body of a request that opens a run: `{"input":{…},"title":"…","happenedAt":"…"}`, or empty.
struct ReportOpening: Hashable, Sendable {
    let input: JSONValue
    let title: String?
    let happenedAt: Timestamp?

    /// Parses the body; nil opens a run without input.
    ///
    /// Accepts an array of one object, as for messages.
    init(_ body: JSONValue?, limits: ReportLimits) throws(ReportMessages.Mistakes) {
        let values = body.map { $0.array ?? [$0] } ?? []
        guard values.count <= 1 else {
            throw .init(list: [
                InputMistake(field: "", detail: "must be one object: further messages are sent by POST.")
            ])
        }
        guard let value = values.first else {
            (input, title, happenedAt) = ([:], nil, nil)
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
        if let sent, sent != .null, title.map(VisibleTitle.isSound) != true {
            mistakes.append(
                InputMistake(
                    field: "title",
                    detail: "must be one line of 1 to \(VisibleTitle.limit) characters, without controls."))
        }
        var happenedAt: Timestamp?
        if let sent = members["happenedAt"], sent != .null {
            happenedAt = ReportNames.moment(sent)
            if happenedAt == nil {
                mistakes.append(InputMistake(field: "happenedAt", detail: ReportNames.noMoment))
            }
        }
        for name in members.keys.filter({ !["input", "title", "happenedAt"].contains($0) }).sorted().prefix(3) {
            mistakes.append(InputMistake(field: String(name.prefix(64)), detail: "is not known here."))
        }
        if !mistakes.isEmpty { throw .init(list: mistakes) }
        (self.input, self.title, self.happenedAt) = (input, title, happenedAt)
    }
}
