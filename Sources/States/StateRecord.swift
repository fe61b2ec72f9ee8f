/// A state as it is written down: its case, its payload, its phase and its progress, without its Swift type.
public struct StateRecord: Sendable, Hashable, Codable {
    /// The name of the enum case, such as `success`; `value` for a state that is no enum.
    public let caseName: String
    /// What the case carries, as a JSON object; unlabelled values are named `_0`, `_1`, ….
    public let payload: JSONValue
    /// Where the state stands in the life of the work.
    public let phase: Phase
    /// How far the work has come, if that was told.
    public let progress: WorkProgress?

    /// Makes a record from its parts.
    public init(caseName: String, payload: JSONValue = [:], phase: Phase, progress: WorkProgress? = nil) {
        self.caseName = caseName
        self.payload = payload
        self.phase = phase
        self.progress = progress
    }

    /// The record of a typed state.
    ///
    /// Throws what the state's own encoding throws, such as for a number that is not finite.
    public init(_ state: some RecordableState) throws {
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

    /// The typed state again.
    ///
    /// Throws `DecodingError` when the type no longer has such a case or payload.
    public func state<State: RecordableState>(as type: State.Type) throws -> State {
        if caseName == "value", let state = try? payload.decode(type) { return state }
        if payload == [:], let state = try? JSONValue.string(caseName).decode(type) { return state }
        return try JSONValue.object([caseName: payload]).decode(type)
    }
}
