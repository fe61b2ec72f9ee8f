package import WeirJournals
package import WeirStates

/// What is done to many runs together.
package enum RunChange: String, Sendable, Hashable, CaseIterable {
    /// They are cancelled.
    case cancel
    /// They are tried again.
    case retry

    /// The path that does it.
    package var path: String {
        switch self {
        case .cancel: "runs/cancellations"
        case .retry: "runs/retries"
        }
    }

    /// What would happen to some runs.
    package struct Plan: Sendable {
        /// The maximum number of runs that are changed at a time.
        package static let limit = 500

        /// What is done.
        package let change: RunChange
        /// The runs that were chosen.
        package let runs: [RunRecord]
        /// How many of those that were chosen are not there.
        package let unknown: Int
        /// Whether more runs match than are changed at a time.
        package let hasMore: Bool
        /// A text of its own, so that a form that is sent twice does it once.
        package let key: String
        /// The filter of the list that they come from.
        package let filter: RunFilter

        /// Creates a plan.
        package init(
            _ change: RunChange, runs: [RunRecord], unknown: Int, hasMore: Bool, key: String, filter: RunFilter
        ) {
            self.change = change
            self.runs = runs
            self.unknown = unknown
            self.hasMore = hasMore
            self.key = key
            self.filter = filter
        }
    }

    /// What happened to a run.
    package enum Result: String, Sendable, Hashable, CaseIterable {
        /// It was cancelled, or a new run tries it again.
        case done
        /// It had ended already, or was still running.
        case late
        /// Whoever asked may not do that.
        case refused
        /// There is no such run any more.
        case unknown
        /// The operation would not.
        case failed
    }

    /// What happened to some runs.
    package struct Report: Sendable {
        /// One run, and what happened to it.
        package struct Item: Sendable {
            /// The run that was chosen.
            package let run: String
            /// What happened.
            package let result: Result
            /// The run that tries it again, if there is one.
            package let newRun: String?
            /// Why not, in a sentence, if it failed.
            package let detail: Message?

            /// Creates an item.
            package init(run: String, result: Result, newRun: String? = nil, detail: Message? = nil) {
                self.run = run
                self.result = result
                self.newRun = newRun
                self.detail = detail
            }
        }

        /// What was done.
        package let change: RunChange
        /// Each run, in the order of the form.
        package let items: [Item]
        /// The filter of the list that they come from.
        package let filter: RunFilter

        /// Creates a report.
        package init(_ change: RunChange, items: [Item], filter: RunFilter) {
            self.change = change
            self.items = items
            self.filter = filter
        }
    }
}
