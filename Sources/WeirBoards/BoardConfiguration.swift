package import Foundation
public import WeirJournals
package import WeirTelemetry

extension Board {
    /// The limits and intervals of a board; the defaults suit a server with a few hundred concurrent runs.
    public struct Configuration: Sendable {
        /// The minimum interval between recorded ticks of a run, unless its operation records every tick; transitions
        /// are always recorded.
        public var tickInterval: Duration = .milliseconds(100)
        var tailLimit = 10_000
        /// The zone of the weeks and days of reports and digests.
        package var zone = TimeZone.gmt
        /// The approximate maximum size in bytes of the changes in memory; the oldest are evicted first.
        public var tailBytes = 64 * 1_024 * 1_024
        /// The maximum number of active runs; further starts are refused.
        ///
        /// Watched runs do not count, here and in the two limits below. The last places are reserved for operations
        /// with few runs.
        public var maximumActiveRuns = 1_000
        /// The maximum number of active runs of one operation.
        public var maximumActiveRunsPerOperation = 500
        /// The maximum number of active runs that one actor started.
        public var maximumActiveRunsPerActor = 250
        /// The maximum number of open reported runs; one reporter can have half of them.
        public var maximumReportedRuns = 1_000
        /// The time without a message from its reporter after which a reported run ends as interrupted.
        public var reportLease: Duration = .seconds(30)
        package var maximumReportLease: Duration = .seconds(3_600)
        /// Whether reporters can open runs of operations that are not in the catalog.
        public var reportsUndeclared = false
        /// Whether this server executes the runs started here when several servers share a journal; otherwise the
        /// recording server executes them.
        package var carriesOutForOthers = true
        /// The number of pending changes, while the journal cannot be written, at which starts are refused.
        package var recordBufferLimit = 10_000
        var batchLimit = 1_000
        /// The number of unrecorded lines of a run's output at which printing suspends.
        var outputBufferLimit = 2_000
        /// The number of unrecorded bytes of a run's output at which printing suspends.
        var outputBufferBytes = 1_024 * 1_024
        /// The maximum size in bytes of a run's recorded output; further lines are not kept.
        package var maximumOutput: Int64 = 1 << 30
        /// The journal's disk, or nil if it is not watched.
        package var disk: (any DiskWatch)?
        /// The approximate maximum size in bytes of all runs' newest output lines in memory.
        var outputTailBytes = 32 * 1_024 * 1_024
        /// The maximum time that a command waits for its change to be recorded.
        package var commandTimeout: Duration = .seconds(5)
        /// The maximum time that `shutdown` waits for work to return and changes to be recorded.
        public var drainTimeout: Duration = .milliseconds(1_500)
        /// The number of changes after which a watched run is ended and restarted.
        var rolloverAfter: Int64 = 3_600
        /// The interval between checks of the journal, which also run while it is idle; nil for no checks.
        package var journalCheckInterval: Duration? = .seconds(1)
        /// Why the board starts nothing automatically, or nil if it does.
        package var quiet: QuietStart?
        /// The retention policy, applied when the board opens and then hourly; nil keeps everything.
        public var retention: RetentionPolicy? = RetentionPolicy()

        /// The store of files that runs keep, or nil if they keep none.
        package var artifacts: ArtifactStore?

        /// The destinations of metrics and spans: by default the systems that the app has bootstrapped.
        package var telemetry = Telemetry.ofApp

        /// Creates the default configuration.
        public init() {}
    }
}

/// Settings that a running server has read and refused, shown to administrators.
package struct RefusedSettings: Sendable, Hashable {
    package let at: Timestamp
    /// The keys in force that the refused settings lack; empty if they were refused for mistakes.
    package let lost: [String]

    package init(at moment: Timestamp, lost: [String]) {
        at = moment
        self.lost = lost
    }
}

/// Why a server starts and sends nothing automatically, shown to administrators.
package struct QuietStart: Sendable, Hashable {
    package enum Reason: String, Codable, Sendable, CaseIterable {
        /// The operator has asked for it.
        case asked
        /// The journal's file is a copy, or an older state that was put back.
        case copied
        /// A backup was restored.
        case restored
    }

    package let reason: Reason
    /// When the quiet began, or for a restored backup when that was made.
    package let since: Timestamp

    package init(_ reason: Reason, since: Timestamp) {
        self.reason = reason
        self.since = since
    }
}
