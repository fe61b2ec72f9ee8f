extension Setting {
    static let all: [Setting] = general + backups + mail + access + limits + StandardCatalog.ids.flatMap(retention)

    private static let general: [Setting] = [
        Setting(key: "host", kind: .text, standard: "127.0.0.1", help: "The address to listen on."),
        Setting(
            key: "port", kind: .integer(0...65_535), standard: "8080",
            help: "The port to listen on; 0 takes a free one and prints it."),
        Setting(
            key: "allowed-hosts", kind: .list, standard: nil,
            help: "Host names under which browsers can reach this server, in addition to its address and localhost."),
        Setting(
            key: "frame-ancestors", kind: .origins, standard: nil,
            help:
                "The sites whose pages can show widgets in a frame and badges as pictures; without it, none can."),
        Setting(key: "data", kind: .path, standard: "weir-data", help: "The folder for the journal and the uploads."),
        Setting(
            key: "journal", kind: .journal, standard: "sqlite",
            help:
                "Where the journal is kept: in a file in the data folder, nowhere once the server stops, or in a PostgreSQL "
                + "database, where the users are kept too. Keep its password out of the command line: in `PGPASSWORD` or "
                + "`~/.pgpass`."),
        Setting(
            key: "journal.durability", kind: .word(["process", "machine"]), standard: "process",
            help:
                "What a recorded change survives: a crash of the server (process), or also of the machine; then each batch "
                + "waits some milliseconds for the disk."),
        Setting(
            key: "runs.place", kind: .word(["started", "recording"]), standard: "started",
            help:
                "Of several servers on one database, which one carries out a run: the one where it is started, or the one that "
                + "records. Each server's setting counts for what is started there."),
        Setting(
            key: "templates", kind: .path, standard: nil,
            help: "A folder whose templates replace the built-in ones, file by file."),
        Setting(
            key: "public", kind: .path, standard: nil,
            help: "A folder whose files replace the built-in ones, file by file."),
        Setting(
            key: "operations", kind: .path, standard: nil,
            help:
                "A folder of YAML files that declare operations; without it, the folder `operations` beside the settings file, "
                + "if there is one."),
        Setting(
            key: "operations.maximum", kind: .integer(1...10_000), standard: "500",
            help: "How many files of that folder are read, the first by name; each costs memory and time at the start."),
        Setting(
            key: "timezone", kind: .zone, standard: "UTC",
            help:
                "The time zone of schedules that name none, of `backup.schedule`, of digests, and of the weeks and days of reports."
        ),
        Setting(
            key: "programs.umask", kind: .mask, standard: nil,
            help:
                "The permissions that new files of programs do not get; without it, the umask with which the server was started."
        ),
        Setting(
            key: "programs.max-output", kind: .bytes, standard: "1 GiB",
            help: "How much of a run's output is kept, unless its operation has `max_output`."),
        Setting(
            key: "disk.keep-free", kind: .bytes, standard: "512 MiB",
            help:
                "How much space is kept free on the disk of a journal in a file: with less, no run starts, and output is not kept. 1 turns "
                + "this off."
        ),
        Setting(
            key: "disk.warn-below", kind: .bytes, standard: "1 GB",
            help:
                "With less free space than this on the disk of the data folder, the server warns its operators (`when: [server]`)."
        ),
        Setting(
            key: "runbook", kind: .list, standard: nil,
            help: "Markdown files with task lists, each a checklist that several people can work through together."),
        Setting(
            key: "store.viewers", kind: .word(["yes", "no"]), standard: "yes",
            help: "Whether a store's page shows who else has it open, to people who are signed in."),
        Setting(
            key: "assistants.changes", kind: .word(["yes", "no"]), standard: "no",
            help: "Whether assistants that use `/mcp` can start, retry, cancel and decide, if their token may."),
        Setting(
            key: "store.state-bytes", kind: .integer(1_024...2_097_152), standard: "262144",
            help: "The maximum size of a state that is put into a store, in bytes."),
        Setting(
            key: "store.state-writes", kind: .integer(1...60_000), standard: "30",
            help: "How many states one actor can put into stores in a minute; all actors together four times as many."),
        Setting(
            key: "log-level", kind: .word(["trace", "debug", "info", "notice", "warning", "error", "critical"]),
            standard: "info", help: "The lowest level of messages that are logged on standard error."),
        Setting(
            key: "log.format", kind: .word(["text", "json"]), standard: "text",
            help: "Whether the log has lines of text, or one JSON object per line."),
        Setting(
            key: "metrics.listen", kind: .listen, standard: nil,
            help:
                "An address and a port where everyone can read `/metrics` without signing in; the server's own port shows them "
                + "to administrators."),
        Setting(
            key: "tracing.endpoint", kind: .url, standard: nil,
            help:
                "The URL of an OpenTelemetry collector that receives spans by OTLP/HTTP, such as `http://127.0.0.1:4318`; "
                + "without it, no spans are recorded."),
        Setting(
            key: "retention.days", kind: .integer(1...36_500), standard: "30",
            help: "For how many days ended runs are kept."),
        Setting(
            key: "retention.runs", kind: .integer(1...100_000_000), standard: "10000",
            help: "How many ended runs of each operation are kept."),
        Setting(
            key: "runs.maximum", kind: .integer(1...1_000_000), standard: "1000",
            help:
                "How many runs can be active at a time, excluding those that run only while a page shows them."),
        Setting(
            key: "runs.maximum-per-operation", kind: .integer(1...1_000_000), standard: "500",
            help: "How many of them can belong to one operation."),
        Setting(
            key: "runs.maximum-per-actor", kind: .integer(1...1_000_000), standard: "250",
            help: "How many of them one actor can have started."),
        Setting(
            key: "shutdown.grace", kind: .seconds(0...86_400), standard: "0",
            help:
                "For how many seconds a server that is stopped lets runs end by themselves; it starts none meanwhile. The others "
                + "are then stopped, and end as interrupted."),
        Setting(
            key: "reports.undeclared", kind: .word(["no", "yes"]), standard: "no",
            help: "Whether programs can report runs of operations that are not declared here."),
        Setting(
            key: "reports.maximum", kind: .integer(1...1_000_000), standard: "1000",
            help: "How many reported runs can be open at a time; half of them can belong to one reporter."),
        Setting(
            key: "reports.lease", kind: .seconds(1...86_400), standard: "30",
            help: "After how many seconds without a message from its reporter a reported run ends as interrupted."),
        Setting(
            key: "reports.maximum-lease", kind: .seconds(1...86_400), standard: "3600",
            help: "The longest such time that a reporter can ask for with Weir-Lease."),
        Setting(
            key: "http-request.allow", kind: .destinations, standard: nil,
            help:
                "Where requests can go besides the public internet: addresses, networks (10.0.0.0/8), hosts, host:port."
        ),
        Setting(
            key: "examples", kind: .word(["no", "yes"]), standard: "yes",
            help: "Whether the built-in operations are offered. They follow the operations of files."),
        Setting(
            key: "greeting.url", kind: .url, standard: nil,
            help: "The URL that the greeting calls; without it, this server's own /hello."),
        Setting(
            key: "iss-position.url", kind: .url, standard: "http://api.open-notify.org/iss-now.json",
            help: "The URL of the feed with the station's position."),
        Setting(
            key: "iss-position.interval", kind: .seconds(0.2...3_600), standard: "5",
            help: "Seconds between two requests to the feed."),
        Setting(
            key: "people-in-space.url", kind: .url, standard: "http://api.open-notify.org/astros.json",
            help: "The URL of the list of people in space."),
        Setting(
            key: "upload.destination", kind: .path, standard: nil,
            help: "The folder that stores uploaded files; without it, `archive` in the data folder."),
        Setting(
            key: "upload.maximum-size", kind: .bytes, standard: "10 GB",
            help: "The maximum size of an uploaded file, such as 512 MB or 2 GiB."),
        Setting(
            key: "upload.maximum-unfinished", kind: .bytes, standard: "50 GB",
            help: "The maximum size of all files together that one person has begun to upload and can continue."),
        Setting(
            key: "artifacts.maximum-size", kind: .bytes, standard: "1 GB",
            help: "The maximum size of all files together that a run of a program keeps."),
        Setting(
            key: "artifacts.maximum-count", kind: .integer(1...1_000), standard: "100",
            help: "How many files a run of a program keeps."),
        Setting(
            key: "import.maximum-size", kind: .bytes, standard: "256 MB",
            help: "The maximum size of a file of runs that is sent to the server for import."),
        Setting(
            key: "import.maximum-line", kind: .bytes, standard: "8 MiB",
            help: "The maximum length of a line of such a file: one change with its payload."),
        Setting(
            key: "export.maximum-concurrent", kind: .integer(1...1_000), standard: "8",
            help: "How many exports can be written at a time; further ones are refused and can be repeated later."),
        Setting(
            key: "upload.keep-days", kind: .integer(0...3_650), standard: "3",
            help: "For how many days the file of a failed upload is kept; of an unfinished one, at least a day."),
    ]

    private static let backups: [Setting] = [
        Setting(
            key: "backup.schedule", kind: .cron, standard: nil,
            help: "When the server makes backups of itself, as a cron expression; needs `backup.folder`."),
        Setting(
            key: "backup.folder", kind: .path, standard: nil,
            help: "The folder for these backups, which no other server uses and no one else can read."),
        Setting(
            key: "backup.keep", kind: .integer(1...10_000), standard: "14",
            help: "How many of these backups are kept; older ones are removed after a new one is complete."),
        Setting(
            key: "backup.verify", kind: .word(["yes", "no"]), standard: "yes",
            help: "Whether each of these backups is restored into a temporary folder and compared."),
        Setting(
            key: "backup.key-file", kind: .path, standard: nil,
            help: "A file with 16 to 1024 bytes with which backups are encrypted; keep a copy of it elsewhere."),
        Setting(
            key: "quiet", kind: .word(["copies", "yes", "no"]), standard: "copies",
            help:
                "When the server starts and sends nothing automatically until `weir resume`: if its journal is a restored copy, at "
                + "each start, or never."),
        Setting(
            key: "shutdown.notice", kind: .seconds(0...300), standard: "0",
            help:
                "For how many seconds a server that is asked to stop still answers, while its readiness check fails, so that "
                + "proxies send requests elsewhere."),
    ]

    private static let limits: [Setting] = [
        Setting(
            key: "connections.count", kind: .integer(8...1_000_000), standard: nil,
            help: "The maximum number of connections; without it, three quarters of `ulimit -n`, at most 24000."),
        Setting(
            key: "connections.per-address", kind: .integer(1...1_000_000), standard: nil,
            help:
                "The maximum number of connections from one address; leave it out behind a proxy, whose address all clients have."
        ),
        Setting(
            key: "connections.idle", kind: .seconds(1...86_400), standard: "60",
            help: "How many seconds a connection can be open without a request."),
        Setting(
            key: "connections.head", kind: .seconds(1...3_600), standard: "20",
            help: "Seconds from the first byte of a request's header to its last."),
        Setting(
            key: "connections.body-rate", kind: .integer(1...100_000_000), standard: "500",
            help: "The minimum rate of a body, in bytes per second."),
        Setting(
            key: "connections.body-grace", kind: .seconds(1...3_600), standard: "30",
            help: "How many seconds a body can stall, or fall behind the rate."),
        Setting(
            key: "connections.stall", kind: .seconds(1...3_600), standard: "30",
            help: "How many seconds a client can read nothing of an answer."),
        Setting(
            key: "connections.pipeline", kind: .integer(1...1_000), standard: "16",
            help: "After how many unanswered requests the server stops reading from a connection."),
        Setting(
            key: "connections.unsent-bytes", kind: .integer(1_024...16_777_216), standard: "65536",
            help: "After how many unread bytes the server stops writing an answer."),
        Setting(
            key: "reports.messages", kind: .integer(1...100_000), standard: "10000",
            help: "The maximum number of messages that a program can report in one request."),
        Setting(
            key: "reports.line-bytes", kind: .integer(80...1_048_576), standard: "65536",
            help: "The maximum length of a line that a program reports, in bytes."),
        Setting(
            key: "reports.state-bytes", kind: .integer(1_024...2_097_152), standard: "262144",
            help: "The maximum size of a state that a program reports, and of a run's input, in bytes."),
        Setting(
            key: "requests.holds", kind: .integer(1...1_000_000), standard: "20000",
            help: "How many live pages can wait for changes at once; further ones ask every few seconds."),
        Setting(
            key: "requests.body-bytes", kind: .integer(1_024...1_073_741_824), standard: "2097152",
            help: "The maximum size of a form or of JSON, in bytes."),
        Setting(
            key: "requests.body-memory", kind: .integer(65_536...1_099_511_627_776), standard: "67108864",
            help: "The maximum memory of all forms and JSON that are arriving, in bytes."),
        Setting(
            key: "requests.answer-memory", kind: .integer(1_048_576...1_099_511_627_776), standard: "134217728",
            help: "The maximum memory of all large answers that clients are reading, in bytes."),
    ]

    /// The retention settings of one operation, which override the general ones.
    private static func retention(of operation: String) -> [Setting] {
        // Runs that start only for viewers are long and many, and soon of no interest.
        let isWatched = StandardCatalog.watchedIDs.contains(operation)
        return [
            Setting(
                key: "retention.\(operation).days", kind: .integer(1...36_500), standard: isWatched ? "7" : nil,
                help: "For how many days ended runs of \(operation) are kept; without it, `retention.days` applies."),
            Setting(
                key: "retention.\(operation).runs", kind: .integer(1...100_000_000), standard: isWatched ? "100" : nil,
                help: "How many ended runs of \(operation) are kept; without it, `retention.runs` applies."),
        ]
    }
}
