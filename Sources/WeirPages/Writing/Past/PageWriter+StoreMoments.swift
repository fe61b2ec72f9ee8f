import WeirBoards
import WeirJournals
import WeirStates

extension PageWriter {
    /// A moment of a store that has passed.
    struct StorePast {
        /// The store as it is now.
        let latest: StoreView
        /// The store's change after the moment; nil if there is none.
        let next: SequenceNumber?
    }

    /// The scrubber over a store's changes, for `partials/scrubber`.
    func storeScrubber(_ view: StoreView, past: StorePast?) -> Fields {
        // A moment older than everything in the current log is shown among the ones before it.
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
                scale: .changes, head: (lines.first?.sequence).map(\.next),
                position: past.flatMap { position(view, $0) }))
    }

    private func position(_ view: StoreView, _ past: StorePast) -> Scrubber.Position? {
        guard let line = view.log.first else { return nil }
        return Scrubber.Position(
            sequence: line.sequence, at: line.at, place: (line.revision + 1, past.latest.revision + 1),
            previous: view.log.dropFirst().first?.sequence, next: past.next)
    }
}
