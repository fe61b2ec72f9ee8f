package import WeirBoards
package import WeirJournals

package struct SystemFacts: Sendable {
    /// A named value, labelled by the string `system.<name>`.
    package struct Fact: Sendable, Hashable {
        /// A value with its kind, which decides how the locale formats it.
        package enum Value: Sendable, Hashable {
            case text(String)
            case count(Int64)
            case bytes(Int64)
            case duration(Int64)
            case moment(Timestamp)
            case flag(Bool)
            /// A fraction, as a percentage.
            case fraction(Double)
        }

        /// The name, which is shown itself if there is no string `system.<name>`.
        let name: String
        let value: Value

        package init(_ name: String, _ value: Value) {
            self.name = name
            self.value = value
        }
    }

    /// The result of a check of templates, strings and operation files.
    package struct Check: Sendable, Hashable {
        package private(set) var problems: [TemplateProblem]
        let count: Int
        let at: Timestamp

        package init(problems: [TemplateProblem], at: Timestamp) {
            self.problems = problems
            count = problems.count
            self.at = at
        }

        /// The result without its problems, for a reader who may not see every operation and store that they name.
        package var counted: Check {
            var check = self
            check.problems = []
            return check
        }
    }

    /// A value that changes, with its course over the last day; labelled by the string `system.<name>`.
    package struct Reading: Sendable, Hashable {
        let name: String
        let value: Fact.Value
        /// The value that cannot be exceeded, and the fraction of it that is reached; nil without a limit.
        package var limit: Fact.Value?
        package var share: Double?
        /// When the value reaches its end if it goes on as in the last day; nil if it does not.
        package var end: Timestamp?
        /// The means of equal parts of the last day, the oldest first; nil for parts without a sample.
        let parts: [Double?]

        package init(_ name: String, _ value: Fact.Value, parts: [Double?]) {
            self.name = name
            self.value = value
            self.parts = parts
        }
    }

    /// The facts, in order.
    ///
    /// Names with strings: `version`, `startedAt`, `epoch`, `sequence`, `journal`, `journalPlace`, `recording`,
    /// `viewers`, `heldPolls`, `activeRuns`, `removal`, `removalDue`, `memory`, `backup`,
    /// `backupSize`, `backupVerified`, `backupNext`, `backupProblem`, `backupLate`, `mountPath`, `host`.
    var facts: [Fact]
    var counts: [RunCount]
    /// The last check of templates, strings and operation files, or nil while one is in progress.
    var check: Check?
    /// The servers that share the journal; empty if it cannot be shared.
    var nodes: [NodeView]
    var conditions: [ServerCondition]
    var readings: [Reading]
    /// The notifications about the server, or nil if there are none.
    package var hooks: PageHooks?

    package init(
        facts: [Fact], counts: [RunCount] = [], check: Check? = nil, nodes: [NodeView] = [],
        conditions: [ServerCondition] = [], readings: [Reading] = []
    ) {
        self.readings = readings
        self.conditions = conditions
        self.facts = facts
        self.counts = counts
        self.check = check
        self.nodes = nodes
    }
}
