import WeirBoards
import WeirJournals
import WeirStates

/// The number of runs that match a filter.
package enum RunTotal: Sendable, Hashable {
    case exactly(Int64)
    case atLeast(Int64)
}

extension PageWriter {
    /// The rows of a list of runs; failures of one operation with the same message share a row, at the newest of them.
    func rows(_ runs: [RunRecord], _ filter: RunFilter, _ highlight: Highlight, isPicked: Bool) -> [Fields] {
        guard filter.groupsFailures else {
            return runs.map { single($0, highlight, isPicked: isPicked) }
        }
        struct Failure: Hashable {
            let operation: String
            let sentence: String
        }
        var (groups, places): ([(sentence: String?, runs: [RunRecord])], [Failure: Int]) = ([], [:])
        for run in runs {
            let sentence = reason(of: run)
            let failure = sentence.map { Failure(operation: run.operation, sentence: $0) }
            if let place = failure.flatMap({ places[$0] }) {
                groups[place].runs.append(run)
            } else {
                if let failure { places[failure] = groups.count }
                groups.append((sentence, [run]))
            }
        }
        return groups.map { sentence, runs in
            guard let newest = runs.first, let oldest = runs.last, let sentence, runs.count > 1 else {
                return runs.first.map { single($0, highlight, isPicked: isPicked) } ?? [:]
            }
            let id = "same-\(oldest.id)"
            return [
                "group": [
                    "groupID": id, "chip": chip(newest, in: id), "times": format.integer(Int64(runs.count)),
                    "sentence": sentence, "title": wholeTitle(of: newest.operation), "newest": moment(newest.startedAt),
                    "span": isPicked ? "7" : "6", "members": runs.map { listed($0, highlight, isPicked: isPicked) },
                ] as Fields
            ]
        }
    }

    private func single(_ run: RunRecord, _ highlight: Highlight, isPicked: Bool) -> Fields {
        listed(run, highlight, isPicked: isPicked).merging(["group": nil])
    }

    func words(for total: RunTotal) -> String {
        switch total {
        case .exactly(let count): strings(.runsTotal, ["count": format.integer(count)])
        case .atLeast(let count): strings(.runsAtLeast, ["count": format.integer(count)])
        }
    }
}
