package import WeirBoards
package import WeirJournals

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

    /// The result of a check of templates, strings and operation files.
    package struct Check: Sendable, Hashable {
        /// The problems that a reader is shown.
        package private(set) var problems: [TemplateProblem]
        /// The number of all problems.
        package let count: Int
        /// When the check ended.
        package let at: Timestamp

        /// Creates a result from its parts.
        package init(problems: [TemplateProblem], at: Timestamp) {
            self.problems = problems
            count = problems.count
            self.at = at
        }

        /// The same for a reader who may not see every operation and store: problems name them.
        package var counted: Check {
            var check = self
            check.problems = []
            return check
        }
    }

    /// The facts, in order.
    ///
    /// Names with strings: `version`, `startedAt`, `uptime`, `epoch`, `sequence`, `journal`, `journalPlace`, `recording`,
    /// `viewers`, `heldPolls`, `activeRuns`, `removal`, `removalDue`, `memory`, `mountPath`, `host`.
    package var facts: [Fact]
    /// How many runs of each operation are in each phase.
    package var counts: [RunCount]
    /// The last check of templates, strings and operation files; nil while they are being checked.
    package var check: Check?
    /// The servers of a shared journal; none where there can be no others.
    package var nodes: [NodeView]

    /// Creates the facts from their parts.
    package init(
        facts: [Fact], counts: [RunCount] = [], check: Check? = nil, nodes: [NodeView] = []
    ) {
        self.facts = facts
        self.counts = counts
        self.check = check
        self.nodes = nodes
    }
}
