package import Boards
package import Journals

/// What the system page shows about the server.
package struct SystemFacts: Sendable {
    /// One fact: the key of its name among the strings (`system.<name>`) and its value.
    package struct Fact: Sendable, Hashable {
        /// A value with its kind, so that it can be written as the locale does.
        package enum Value: Sendable, Hashable {
            /// Words, shown as they are.
            case text(String)
            /// A count.
            case count(Int64)
            /// A number of bytes.
            case bytes(Int64)
            /// A duration in milliseconds.
            case duration(Int64)
            /// A moment.
            case moment(Timestamp)
            /// Yes or no.
            case flag(Bool)
        }

        /// The name: a string `system.<name>` is what a person reads; without one the name itself.
        package let name: String
        /// The value.
        package let value: Value

        /// Creates a fact.
        package init(_ name: String, _ value: Value) {
            self.name = name
            self.value = value
        }
    }

    /// The facts, in order.
    ///
    /// Names with strings: `version`, `startedAt`, `uptime`, `epoch`, `sequence`, `journal`, `journalPlace`, `recording`,
    /// `viewers`, `heldPolls`, `activeRuns`, `removal`, `removalDue`, `memory`, `mountPath`, `host`.
    package var facts: [Fact]
    /// How many runs of each operation are in each phase.
    package var counts: [RunCount]
    /// What is wrong with templates and strings.
    package var problems: [TemplateProblem]
    /// The servers of a shared journal; none where there can be no others.
    package var nodes: [NodeView]

    /// Creates the facts from their parts.
    package init(
        facts: [Fact], counts: [RunCount] = [], problems: [TemplateProblem] = [], nodes: [NodeView] = []
    ) {
        self.facts = facts
        self.counts = counts
        self.problems = problems
        self.nodes = nodes
    }
}
