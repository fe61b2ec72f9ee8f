package import WeirJournals
package import WeirStates

/// An action on many runs.
package enum RunChange: String, Sendable, Hashable, CaseIterable {
    case cancel
    case retry
    case delete

    var path: String {
        switch self {
        case .cancel: "runs/cancellations"
        case .retry: "runs/retries"
        case .delete: "runs/deletions"
        }
    }

    package struct Plan: Sendable {
        /// The maximum number of runs changed by one request.
        package static let limit = 500

        let change: RunChange
        let runs: [RunRecord]
        let unknown: Int
        let hasMore: Bool
        /// An idempotency key: a form submitted twice takes effect once.
        let key: String
        /// The filter of the list in which the runs were selected.
        let filter: RunFilter

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

    package enum Result: String, Sendable, Hashable, CaseIterable {
        /// The run was cancelled or deleted, or a new run retries it.
        case done
        /// The run had already ended, or was still running.
        case late
        /// The requester may not change the run.
        case refused
        case unknown
        /// The operation rejected the action.
        case failed
    }

    package struct Report: Sendable {
        package struct Item: Sendable {
            let run: String
            package let result: Result
            /// The id of the run that retries it, or nil.
            let newRun: String?
            let detail: Message?

            package init(run: String, result: Result, newRun: String? = nil, detail: Message? = nil) {
                self.run = run
                self.result = result
                self.newRun = newRun
                self.detail = detail
            }
        }

        let change: RunChange
        /// The outcome for each run, in the order of the form.
        let items: [Item]
        /// The filter of the list in which the runs were selected.
        let filter: RunFilter

        package init(_ change: RunChange, items: [Item], filter: RunFilter) {
            self.change = change
            self.items = items
            self.filter = filter
        }
    }
}
