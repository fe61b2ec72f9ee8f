/// How far a spool has been sent: the request that is on its way, or would be next.
///
/// Pure. A request keeps its number and its messages until it is answered, also over the end of this process: sent again, it
/// is known to the server and changes nothing. So the place is written down before each request.
package struct SpoolPlace: Sendable, Hashable, Codable {
    /// The most parts that a report is split into.
    package static let maximumParts = 50

    /// Which run of this report is fed: a run that the server ended meanwhile is continued in another.
    package private(set) var part = 1
    /// Whether the server is known to have opened the run.
    package private(set) var isOpen = false
    /// The number of the request.
    package private(set) var number: Int64 = 0
    /// Where its messages begin in the spool, in bytes; 0 for the first.
    package private(set) var from: Int64 = 0
    /// Where they end; nil while no request is on its way.
    package private(set) var through: Int64?
    /// How many states and lines the run has by now.
    package private(set) var recorded: Int64 = 0
    /// How many states and lines the request on its way adds.
    private var adding: Int64 = 0

    package init() {}

    /// The id of the run that is fed.
    package func run(of header: SpoolHeader) -> String { part == 1 ? header.run : "\(header.run)-\(part)" }

    /// The run is open.
    package mutating func opened() { isOpen = true }

    /// A request is made of the messages up to a byte.
    package mutating func begin(through end: Int64, messages: Int) {
        through = end
        adding = Int64(messages)
    }

    /// The request was taken.
    package mutating func taken() {
        guard let through else { return }
        number = min(number, .max - 1) + 1
        from = through
        recorded = recorded.addingReportingOverflow(adding).partialValue
        self.through = nil
        adding = 0
    }

    /// The server has ended the run, which has so many states and lines; nil where that is not known.
    ///
    /// If they are more than were known to be there, the request on its way was taken, since a request is taken wholly or not
    /// at all. What follows goes to a run of its own.
    package mutating func continued(recorded count: Int64?) {
        if let count, count > recorded, through != nil { taken() }
        part = min(part, Self.maximumParts) + 1
        (isOpen, number, recorded, adding, through) = (false, 0, 0, 0, nil)
    }

    /// Whether the run was split more often than makes sense.
    package var isExhausted: Bool { part > Self.maximumParts }
}
