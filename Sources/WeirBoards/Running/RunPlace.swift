/// Where a run is carried out, as this server has it.
enum RunPlace: Sendable, Hashable {
    /// Here: this server admitted it, and records it.
    case here
    /// Here, for the server that records, which admitted it.
    case assigned
    /// By the process of another server that has this number, which records its states and what it prints; this server, which
    /// records, only admitted it.
    case elsewhere(worker: Int64)
}

/// What another server carries out that asked for it.
struct ForeignStart: Sendable, Hashable {
    /// The number of its process.
    let worker: Int64
    /// The id that it has given the run, as it keeps a part of what the run is started with; nil if it keeps nothing.
    var run: String?
}
