import Boards
import Journals
import States

extension PageWriter {
    /// A moment of a store that has passed.
    struct StorePast {
        /// The store as it stands now.
        let latest: StoreView
        /// The store's change after the moment; nil when there is none.
        let next: Int64?
    }

    /// The scrubber over a store's changes, for `partials/scrubber`.
    func storeScrubber(_ view: StoreView, past: StorePast?) -> Fields {
        // A moment older than all that the log as it stands tells is shown among those before it.
        let known = past?.latest.log ?? view.log
        let lines = known.contains { $0.sequence == view.sequence } ? known : view.log
        return scrubber(
            Scrubber(
                url: "\(base)/stores/\(view.id)",
                moments: lines.reversed().map { line in
                    Scrubber.Moment(
                        sequence: line.sequence, at: line.at, label: words(for: line.step, of: view),
                        tone: line.phase.tone)
                },
                scale: .changes, head: (lines.first?.sequence).map { $0 + 1 },
                standing: past.flatMap { standing(view, $0) }))
    }

    private func standing(_ view: StoreView, _ past: StorePast) -> Scrubber.Standing? {
        guard let line = view.log.first else { return nil }
        return Scrubber.Standing(
            sequence: line.sequence, at: line.at, place: (line.revision + 1, past.latest.revision + 1),
            previous: view.log.dropFirst().first?.sequence, next: past.next)
    }
}
