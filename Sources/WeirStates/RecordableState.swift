/// A state of an operation or a store that can be recorded, shown on a page and compared.
///
/// Usually an enum whose cases carry the values that pages show. Swift's own `Codable` for enums defines the recorded
/// form: `.success(greeting: "Hello")` is the case `success` with the payload `{"greeting": "Hello"}`.
public protocol RecordableState: Codable, Equatable, Sendable {
    /// At least one value of every case, for the gallery, the snapshot tests and the markup checks.
    static var samples: [Self] { get }
    /// The phase of the work in this state.
    var phase: Phase { get }
    /// The progress of the work in this state, or nil if it is unknown.
    var progress: WorkProgress? { get }
}

extension RecordableState {
    /// No progress.
    public var progress: WorkProgress? { nil }
}

/// The phase of a state in the life cycle of its work.
///
/// Pages, filters and retention use the phase, because they do not know a state's own type.
public enum Phase: String, Codable, Sendable, Hashable, CaseIterable {
    /// Nothing has begun, or there is nothing to do.
    case idle
    /// Work is in progress.
    case active
    /// The work succeeded.
    case succeeded
    /// The work failed, and the state says why.
    case failed
    /// The work was cancelled. Never an error.
    case cancelled
    /// The process ended before the work did.
    case interrupted

    /// Whether the phase is final.
    public var isEnded: Bool {
        switch self {
        case .idle, .active: false
        case .succeeded, .failed, .cancelled, .interrupted: true
        }
    }
}

/// The progress of some work: completed units out of a total, which can be unknown.
public struct WorkProgress: Codable, Sendable, Hashable {
    /// The unit of the counts.
    public enum Unit: String, Codable, Sendable, Hashable {
        /// Bytes, shown as kB, MB, GB.
        case bytes
        /// Other items: parts, files, lines.
        case items
        /// Percent of the whole.
        case percent
    }

    /// The number of completed units; never negative.
    public let completed: Int64
    /// The total number of units, or nil if it is unknown.
    public let total: Int64?
    /// The unit of both counts.
    public let unit: Unit

    /// Creates a progress.
    ///
    /// A negative count becomes 0, and a total below the count becomes the count.
    public init<Count: BinaryInteger>(_ completed: Count, of total: Count?, unit: Unit = .items) {
        let completed = max(0, Int64(clamping: completed))
        self.completed = completed
        self.total = total.map { max(completed, Int64(clamping: $0)) }
        self.unit = unit
    }

    /// Decodes a progress by the same rules, since the data can be from any source.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try container.decode(Int64.self, forKey: .completed),
            of: try container.decodeIfPresent(Int64.self, forKey: .total),
            unit: try container.decode(Unit.self, forKey: .unit))
    }

    /// The completed fraction, from 0 to 1; nil if the total is unknown.
    ///
    /// If the total is 0, the fraction is 1.
    public var fraction: Double? {
        guard let total else { return nil }
        return total == 0 ? 1 : Double(completed) / Double(total)
    }
}

/// A state of many parts, few of which change at a time.
package protocol PartlyRecordedState: RecordableState {
    /// The record of the state, in which the parts that are the same in an earlier state are taken from its record.
    ///
    /// Equal to `StateRecord(self)`, and shares memory with the earlier record.
    func record(after earlier: Self, recorded: StateRecord) throws -> StateRecord
}

/// A recorded state: its case, payload, phase and progress, without its Swift type.
public struct StateRecord: Sendable, Hashable, Codable {
    /// The name of the enum case, such as `success`; `value` for a state that is not an enum.
    public let caseName: String
    /// The associated values of the case, as a JSON object; unlabelled values are named `_0`, `_1`, ….
    public let payload: JSONValue
    /// The phase of the work in this state.
    public let phase: Phase
    /// The progress of the work, or nil if it is unknown.
    public let progress: WorkProgress?

    package init(caseName: String, payload: JSONValue = [:], phase: Phase, progress: WorkProgress? = nil) {
        self.caseName = caseName
        self.payload = payload
        self.phase = phase
        self.progress = progress
    }

    /// The record of a typed state.
    ///
    /// Throws the error of the state's own encoding, such as for a number that is not finite.
    package init(_ state: some RecordableState) throws {
        let encoded = try JSONValue(encoding: state)
        phase = state.phase
        progress = state.progress
        switch encoded {
        case .string(let name):
            caseName = name
            payload = [:]
        case .object(let members) where members.count == 1 && Mirror(reflecting: state).displayStyle == .enum:
            guard let (name, value) = members.first else { fallthrough }
            caseName = name
            payload = value
        default:
            caseName = "value"
            payload = encoded
        }
    }

    /// Decodes the typed state.
    ///
    /// Throws `DecodingError` if the type no longer has such a case or payload.
    package func state<State: RecordableState>(as type: State.Type) throws -> State {
        if caseName == "value", let state = try? payload.decode(type) { return state }
        if payload == [:], let state = try? JSONValue.string(caseName).decode(type) { return state }
        return try JSONValue.object([caseName: payload]).decode(type)
    }
}
