import WeirBoards
import WeirJournals
import WeirOperations
import WeirStates

/// The messages of a reporter, as the body of a request has them: one, or an array of them.
///
/// ```
/// {"state":"uploading","completed":40,"total":100,"unit":"bytes","file":"a.bin"}
/// {"state":"failed","phase":"failed","message":"The disk is full."}
/// {"line":"2 files copied","channel":"stderr"}
/// {"beat":true}
/// ```
/// A state has a name and may say how far the work has come; all its other members are what pages show with it. With
/// `phase` it says how the run ends: such a state is the last, and comes with `Stream-Closed: true`. A beat is not
/// recorded.
struct ReportMessages: Hashable, Sendable {
    /// What is wrong with one of the messages.
    struct Mistakes: Error, Hashable {
        let list: [InputMistake]
    }

    /// The states and lines, in order.
    private(set) var entries: [Report.Entry] = []
    /// The state in which the run ends, if one is named.
    private(set) var end: StateRecord?

    private static let outcomes: [Phase] = [.succeeded, .failed, .cancelled]
    private static let known: Set<String> = ["state", "completed", "total", "unit", "phase"]

    /// Reads a body that is JSON; all its mistakes are found at once, each with the place of its message.
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
            // A thousand mistakes say no more than twenty.
            if mistakes.count >= 20 { break }
        }
        if !mistakes.isEmpty { throw Mistakes(list: mistakes) }
    }

    private mutating func read(_ reader: inout MessageReader) {
        guard let members = reader.members else { return }
        switch (members["state"], members["line"], members["beat"]) {
        case (_?, nil, nil):
            guard let state = reader.state(known: Self.known, outcomes: Self.outcomes) else { return }
            if state.phase.isEnded { end = state } else { entries.append(.state(state)) }
        case (nil, _?, nil):
            guard let (line, channel) = reader.line() else { return }
            entries.append(.line(line, channel))
        case (nil, nil, _?): reader.beat()
        default: reader.add("", "must have one of “state”, “line” and “beat”.")
        }
    }
}

/// Reads one message, and gathers what is wrong with it.
private struct MessageReader {
    let place: String
    let members: [String: JSONValue]?
    private let limits: ReportLimits
    private(set) var mistakes: [InputMistake] = []
    /// How the message ends the run, if it does.
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
                add("phase", "must be “succeeded”, “failed” or “cancelled”; leave it out while the work goes on.")
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

    /// A count of units; nil where there is none.
    private mutating func count(_ name: String) -> Int64? {
        guard let sent = members?[name], sent != .null else { return nil }
        guard let number = sent.integer, let count = SequenceNumber(exactly: number) else {
            add(name, "must be a whole number from 0 to \(SequenceNumber.max).")
            return nil
        }
        return count.rawValue
    }

    mutating func line() -> (String, OutputChannel)? {
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
        refuseOthers(than: ["line", "channel"])
        return mistakes.count == before ? text.map { ($0, channel) } : nil
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

/// The names that reporters choose.
enum ReportNames {
    /// Whether a text can name an operation: as in a catalog.
    static func isOperation(_ id: String) -> Bool { id.utf8.count <= 40 && Topic("operation-\(id)") != nil }

    /// Whether a text can name a run: its feeds then have names too.
    static func isRun(_ id: String) -> Bool { Topic("output-\(id)") != nil && Topic("operation-\(id)") != nil }
}

/// How much a reporter may send at once.
package struct ReportLimits: Sendable {
    /// The most messages of one request.
    package var messages = 10_000
    /// The most bytes of a line.
    package var lineBytes = 65_536
    /// The most bytes of a state, and of the input that a run is opened with, as JSON.
    package var stateBytes = 262_144

    /// Makes the default limits.
    package init() {}

    /// What is said of a state or an input that is too large.
    var tooLarge: String { "must have \(stateBytes) bytes at most as JSON, the limit that reports.state-bytes sets." }

    /// Whether a state or an input has more bytes than it may.
    func isTooLarge(_ value: JSONValue) -> Bool {
        // It was read from JSON, so it has a text.
        ((try? value.text())?.utf8.count ?? 0) > stateBytes
    }
}
