/// A state of an operation or a store that can be recorded, shown on a page and compared.
///
/// Usually an enum whose cases carry what a page shows. Swift's own `Codable` for enums defines the recorded form:
/// `.success(greeting: "Hello")` is the case `success` with the payload `{"greeting": "Hello"}`.
public protocol RecordableState: Codable, Equatable, Sendable {
    /// At least one value of every case. The gallery, the snapshot tests and the markup checks use them.
    static var samples: [Self] { get }
    /// Where this state is in the life cycle of the work.
    var phase: Phase { get }
    /// How far the work has come in this state, if that is known.
    var progress: WorkProgress? { get }
}

extension RecordableState {
    /// No progress.
    public var progress: WorkProgress? { nil }
}
