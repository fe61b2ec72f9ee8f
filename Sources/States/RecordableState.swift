/// A state that can be written down, shown on a page and compared: what an operation or a store passes through.
///
/// Usually an enum whose cases carry what a page shows. Swift's own `Codable` for enums gives the recorded form:
/// `.success(greeting: "Hello")` is the case `success` with the payload `{"greeting": "Hello"}`.
public protocol RecordableState: Codable, Equatable, Sendable {
    /// One value at least of every case: the gallery, the snapshot tests and the markup checks are made from these.
    static var samples: [Self] { get }
    /// Where this state stands in the life of the work.
    var phase: Phase { get }
    /// How far the work has come in this state, if that can be told.
    var progress: WorkProgress? { get }
}

extension RecordableState {
    /// No progress to tell.
    public var progress: WorkProgress? { nil }
}
