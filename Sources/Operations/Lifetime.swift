/// When runs of an operation begin and end.
public enum Lifetime: Sendable, Hashable {
    /// A run begins when somebody starts it and ends when its work does.
    case onDemand
    /// A run begins with the first viewer and is cancelled so long after the last one left.
    case whileWatched(stopAfter: Duration = .seconds(5))
}
