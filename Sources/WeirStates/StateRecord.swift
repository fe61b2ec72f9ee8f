/// A recorded state: its case, payload, phase and progress, without its Swift type.
public struct StateRecord: Sendable, Hashable, Codable {
    /// The name of the enum case, such as `success`; `value` for a state that is not an enum.
    public let caseName: String
    /// What the case carries, as a JSON object; unlabelled values are named `_0`, `_1`, ….
    public let payload: JSONValue
    /// Where the state is in the life cycle of the work.
    public let phase: Phase
    /// How far the work has come, if that is known.
    public let progress: WorkProgress?

    /// Creates a record from its parts.
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

    /// The typed state.
    ///
    /// Throws `DecodingError` if the type no longer has such a case or payload.
    package func state<State: RecordableState>(as type: State.Type) throws -> State {
        if caseName == "value", let state = try? payload.decode(type) { return state }
        if payload == [:], let state = try? JSONValue.string(caseName).decode(type) { return state }
        return try JSONValue.object([caseName: payload]).decode(type)
    }
}
