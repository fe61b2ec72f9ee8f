/// A metric: its name, its kind, its labels and its description.
///
/// ``all`` is the only list of metrics. The exposition follows it, and `Documentation/monitoring.md` contains it.
package struct Metric: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        case counter
        case gauge
        /// Counts durations in buckets, whose upper bounds are in seconds.
        case histogram([Double])
        /// A gauge with the value 1, whose labels are the information.
        case info

        var name: String {
            switch self {
            case .counter: "counter"
            case .gauge: "gauge"
            case .histogram: "histogram"
            case .info: "info"
            }
        }
    }

    package let name: String
    let kind: Kind
    /// The names of the labels, in order.
    let labels: [String]
    let help: String

    init(_ name: String, _ kind: Kind, _ labels: [String] = [], _ help: String) {
        self.name = name
        self.kind = kind
        self.labels = labels
        self.help = help
    }

    /// The unit, which is a suffix of the name, or nil for a number of things.
    var unit: String? {
        let base = name.hasSuffix("_total") ? name.dropLast(6) : name[...]
        return ["seconds", "bytes"].first { base.hasSuffix("_\($0)") }
    }
}

extension Metric {
    /// From 0.1 s to a week, because runs and their waits take milliseconds to days.
    private static let long: [Double] = [
        0.1, 0.5, 1, 5, 15, 60, 300, 900, 3_600, 14_400, 43_200, 86_400, 259_200, 604_800,
    ]
    private static let short: [Double] = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60]

    // MARK: Runs

    package static let runs = Metric(
        "weir_runs_total", .counter, ["operation", "outcome"],
        "Runs that ended on this server: succeeded, failed, cancelled or interrupted.")
    package static let activeRuns = Metric(
        "weir_runs_active", .gauge, "Runs that this server executes, without queued ones.")
    package static let queuedRuns = Metric(
        "weir_runs_queued", .gauge, "Runs that wait for an earlier run of their operation.")
    package static let oldestQueued = Metric(
        "weir_queue_oldest_seconds", .gauge,
        "Time since the start of the queued run that has waited longest; 0 without one.")
    package static let runDuration = Metric(
        "weir_run_duration_seconds", .histogram(long), ["operation"],
        "Time from the begin of a run's work to the run's end.")
    package static let runWait = Metric(
        "weir_run_wait_seconds", .histogram(long), ["operation"], "Time from a run's start to the begin of its work.")
    package static let failuresInARow = Metric(
        "weir_run_failures_consecutive", .gauge, ["operation"],
        "Runs that failed since the last success, counted since the server started.")

    // MARK: Schedules

    package static let scheduleLateness = Metric(
        "weir_schedule_lateness_seconds", .histogram(long), "Time from a scheduled time to the start of its run.")
    package static let scheduleMissed = Metric(
        "weir_schedule_missed_total", .counter, ["operation"], "Scheduled times that passed without a start.")
    package static let scheduleRefused = Metric(
        "weir_schedule_refused_total", .counter, ["operation"], "Scheduled starts that were refused.")

    // MARK: Requests

    package static let requests = Metric(
        "weir_http_requests_total", .counter, ["kind", "status"],
        "Answered requests, by the kind of their route and the status code.")
    package static let requestDuration = Metric(
        "weir_http_request_duration_seconds", .histogram(short), ["kind"],
        "Time from a request's header to the begin of its answer; held requests include the wait.")
    package static let heldPolls = Metric("weir_polls_held", .gauge, "Requests that wait for a change.")

    // MARK: Journal and disk

    package static let recording = Metric(
        "weir_recording", .gauge, "1 while the journal accepts this server's changes, otherwise 0.")
    package static let commit = Metric(
        "weir_journal_commit_seconds", .histogram([0.000_5] + short),
        "Time to append a batch of changes to the journal.")
    package static let journalBytes = Metric(
        "weir_journal_bytes", .gauge, "Size of the journal on disk; absent for a journal in memory.")
    package static let diskFree = Metric(
        "weir_disk_free_bytes", .gauge, "Free space of the data folder's file system for the server's user.")

    package static let conditions = Metric(
        "weir_server_condition", .gauge, ["condition"],
        "1 while a condition holds that operators should know about, otherwise 0.")

    // MARK: Messages

    package static let deliveries = Metric(
        "weir_deliveries_total", .counter, ["outcome"],
        "Messages about runs that were delivered or given up (failed), and attempts that will be repeated (retried).")
    package static let deliveriesWaiting = Metric(
        "weir_deliveries_waiting", .gauge, "Messages that are not delivered yet.")

    // MARK: Tracing

    package static let spansDropped = Metric(
        "weir_spans_dropped_total", .counter,
        "Spans that were not exported, because the collector is slow or unreachable.")

    // MARK: The process

    package static let build = Metric("weir_build_info", .info, ["version"], "The version of the server.")
    package static let cpu = Metric(
        "process_cpu_seconds_total", .counter, "CPU time of the server process, user and system.")
    package static let memory = Metric(
        "process_resident_memory_bytes", .gauge, "Resident memory of the server process.")
    package static let openFiles = Metric("process_open_fds", .gauge, "Open file descriptors of the server process.")
    package static let maximumFiles = Metric(
        "process_max_fds", .gauge, "Maximum number of open file descriptors of the server process.")
    package static let startTime = Metric(
        "process_start_time_seconds", .gauge, "Start of the server process, in seconds since 1970.")

    package static let all: [Metric] = [
        runs, activeRuns, queuedRuns, oldestQueued, runDuration, runWait, failuresInARow,
        scheduleLateness, scheduleMissed, scheduleRefused,
        requests, requestDuration, heldPolls,
        recording, commit, journalBytes, diskFree, conditions,
        deliveries, deliveriesWaiting, spansDropped,
        build, cpu, memory, openFiles, maximumFiles, startTime,
    ]

    private init(_ name: String, _ kind: Kind, _ help: String) { self.init(name, kind, [], help) }
}
