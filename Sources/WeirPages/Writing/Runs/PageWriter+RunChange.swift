import WeirAccess
import WeirJournals

extension PageWriter {
    func planPage(_ plan: RunChange.Plan) -> Fields {
        let kinds = plan.runs.map { ($0, result(of: plan.change, on: $0)) }
        let changed = kinds.filter { $0.1 == .done }.map(\.0)
        var counts = Dictionary(grouping: kinds, by: \.1).mapValues(\.count)
        counts[.unknown] = plan.unknown
        return changePage(plan.change, counts, plan.filter, isPlan: true).merging([
            "isNothing": changed.isEmpty, "rows": changed.map { listed($0) },
            "form": changed.isEmpty
                ? nil
                : [
                    "action": "\(base)/\(plan.change.path)", "key": plan.key, "filter": plan.filter.query,
                    "runs": changed.map { ["id": $0.id] as Fields },
                    "look": plan.change == .retry ? "primary" : "danger",
                    "word": strings(
                        word(of: plan.change),
                        ["count": format.integer(Int64(changed.count))]),
                ] as Fields,
            "warning": plan.change == .delete && !changed.isEmpty ? strings[.bulkDeleteWarning] : nil,
            "more": plan.hasMore
                ? strings(.bulkMore, ["limit": format.integer(Int64(RunChange.Plan.limit))]) : nil,
            "items": nil,
        ])
    }

    func reportPage(_ report: RunChange.Report) -> Fields {
        let counts = Dictionary(grouping: report.items, by: \.result).mapValues(\.count)
        let others = report.items.filter { $0.newRun != nil || $0.detail != nil }
        return changePage(report.change, counts, report.filter, isPlan: false).merging([
            "isNothing": false, "rows": nil, "form": nil, "warning": nil, "more": nil,
            "items": others.isEmpty
                ? nil
                : [
                    "list": others.map { item -> Fields in
                        [
                            "run": link(toRun: item.run), "newRun": item.newRun.map { link(toRun: $0) },
                            "detail": item.detail.map { strings($0) },
                        ]
                    }
                ] as Fields,
        ])
    }

    private func changePage(
        _ change: RunChange, _ counts: [RunChange.Result: Int], _ filter: RunFilter, isPlan: Bool
    ) -> Fields {
        [
            "title": title(of: change), "backURL": url(filter),
            "counts": RunChange.Result.allCases.compactMap { result -> Fields? in
                guard let count = counts[result], count > 0 else { return nil }
                return ["count": format.integer(Int64(count)), "words": strings[key(change, result, isPlan: isPlan)]]
            },
        ]
    }

    func title(of change: RunChange) -> String {
        switch change {
        case .cancel: strings[.bulkCancelTitle]
        case .retry: strings[.bulkRetryTitle]
        case .delete: strings[.bulkDeleteTitle]
        }
    }

    private func word(of change: RunChange) -> StringKey {
        switch change {
        case .cancel: .bulkCancel
        case .retry: .bulkRetry
        case .delete: .bulkDelete
        }
    }

    private func result(of change: RunChange, on record: RunRecord) -> RunChange.Result {
        switch change {
        case .cancel:
            guard record.endedAt == nil else { return .late }
            guard allows(.cancel, onOperation: record.operation) else { return .refused }
            return cancelForm(record) == nil ? .failed : .done
        case .retry:
            guard record.endedAt != nil else { return .late }
            guard allows(.start, onOperation: record.operation) else { return .refused }
            return retryForm(record, follows: false) == nil ? .failed : .done
        case .delete:
            guard record.endedAt != nil else { return .late }
            return mayDelete ? .done : .refused
        }
    }

    private func key(_ change: RunChange, _ result: RunChange.Result, isPlan: Bool) -> StringKey {
        switch (result, change) {
        case (.done, .cancel): isPlan ? .bulkWillCancel : .bulkCancelled
        case (.done, .retry): isPlan ? .bulkWillRetry : .bulkRetried
        case (.late, .cancel): .bulkEnded
        case (.done, .delete): isPlan ? .bulkWillDelete : .bulkDeleted
        case (.late, .retry), (.late, .delete): .bulkRunning
        case (.refused, _): .bulkRefused
        case (.unknown, _): .bulkUnknown
        case (.failed, _): .bulkFailed
        }
    }
}
