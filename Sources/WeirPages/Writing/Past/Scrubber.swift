import WeirJournals

/// What a reader goes through the moments of a page with: a strip of what was when, a slider on it, and buttons.
///
/// The same for runs, operations and stores. `PageWriter.scrubber(_:)` makes of it what `partials/scrubber` shows.
struct Scrubber {
    /// Something that began at a change and lasted until the next: a state of a run, what an action made of a store.
    struct Moment {
        let sequence: SequenceNumber
        let at: Timestamp
        let label: String
        let tone: String
    }

    /// What the length of the strip represents.
    enum Scale {
        /// Time: the slider is sent as `offset`, the milliseconds after the first moment, and the server finds the change.
        case time
        /// Steps: each moment is as long as any other, so that idle time hides none; within one, time passes evenly.
        ///
        /// The slider is sent as `step`, in hundredths of a moment: see ``StepScale``.
        case steps
        /// Changes: the slider is sent as `at`, a sequence; for what happens now and then, with long pauses between.
        case changes
    }

    /// The position of a page of the past.
    struct Position {
        /// The sequence of the change the page shows.
        let sequence: SequenceNumber
        /// When that was.
        let at: Timestamp
        /// Its place among the page's changes, from 1, and how many there are; nil where that is not known.
        var place: (number: Int64, count: Int64)?
        /// The page's change before it; nil if it is the first that is kept.
        var previous: SequenceNumber?
        /// The page's change after it; nil if there is none yet.
        var next: SequenceNumber?
        /// What else a reader has to know, in a sentence.
        var note: String?
    }

    /// The page's own address, without a query.
    let url: String
    /// The moments on the strip, oldest first.
    let moments: [Moment]
    /// What the length of the strip represents.
    var scale = Scale.time
    /// When the last moment ended; nil while it lasts.
    var end: Timestamp?
    /// The latest time that is known of the last moment, while it lasts.
    var latest: Timestamp?
    /// The sequence of the newest change, where `scale` is changes and ticks follow the last moment.
    var head: SequenceNumber?
    /// The run whose time the strip shows, where the page is not that run's own.
    var run: String?
    /// The first change that is kept, where the strip does not begin with it.
    var first: SequenceNumber?
    /// The position of the page; nil for the live page.
    var position: Position?
    /// Whether the reader has chosen the strip by time, where there are two.
    var isByTime = false
}
