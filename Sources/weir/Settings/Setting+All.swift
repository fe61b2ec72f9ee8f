extension Setting {
    /// Every setting there is.
    static let all: [Setting] = general + StandardCatalog.ids.flatMap(retention)

    private static let general: [Setting] = [
        Setting(key: "host", kind: .text, standard: "127.0.0.1", help: "The address to listen on."),
        Setting(
            key: "port", kind: .integer(0...65_535), standard: "8080",
            help: "The port to listen on; 0 takes a free one and prints it."),
        Setting(
            key: "allowed-hosts", kind: .list, standard: nil,
            help: "Names under which browsers may reach this server, besides its address and localhost."),
        Setting(key: "data", kind: .path, standard: "weir-data", help: "The folder for the journal and the uploads."),
        Setting(
            key: "journal", kind: .word(["sqlite", "memory"]), standard: "sqlite",
            help: "Where the journal is kept: a file in the data folder, or nowhere once the server stops."),
        Setting(
            key: "templates", kind: .path, standard: nil,
            help: "A folder whose templates take the place of the built-in ones, file by file."),
        Setting(
            key: "public", kind: .path, standard: nil,
            help: "A folder whose files take the place of the built-in ones, file by file."),
        Setting(
            key: "runbook", kind: .list, standard: nil,
            help: "Markdown files with task lists, each a checklist that people work through together."),
        Setting(
            key: "actor-header", kind: .text, standard: nil,
            help: "The request header in which a proxy you trust names who is asking."),
        Setting(
            key: "log-level", kind: .word(["trace", "debug", "info", "notice", "warning", "error", "critical"]),
            standard: "info", help: "What is worth a line on standard error."),
        Setting(
            key: "retention.days", kind: .integer(1...36_500), standard: "30",
            help: "For how many days ended runs are kept."),
        Setting(
            key: "retention.runs", kind: .integer(1...100_000_000), standard: "10000",
            help: "How many ended runs of each operation are kept."),
        Setting(
            key: "greeting.url", kind: .url, standard: nil,
            help: "Whom the greeting asks; without it, this server's own /hello."),
        Setting(
            key: "iss-position.url", kind: .url, standard: "http://api.open-notify.org/iss-now.json",
            help: "The feed of the station's position."),
        Setting(
            key: "iss-position.interval", kind: .seconds(0.2...3_600), standard: "5",
            help: "Seconds from one look at the feed to the next."),
        Setting(
            key: "people-in-space.url", kind: .url, standard: "http://api.open-notify.org/astros.json",
            help: "The list of people in space."),
        Setting(
            key: "upload.destination", kind: .path, standard: nil,
            help: "The folder that uploaded files end in; without it, `archive` in the data folder."),
        Setting(
            key: "upload.keep-days", kind: .integer(0...3_650), standard: "3",
            help: "For how many days the file of a failed upload is kept for another try."),
    ]

    /// How long, and how many, ended runs of one operation are kept, where that differs from the others.
    private static func retention(of operation: String) -> [Setting] {
        // Their runs are long, many and soon of no interest: nobody started them for what they find.
        let isWatched = StandardCatalog.watchedIDs.contains(operation)
        return [
            Setting(
                key: "retention.\(operation).days", kind: .integer(1...36_500), standard: isWatched ? "7" : nil,
                help: "For how many days ended runs of \(operation) are kept; without it as `retention.days` says."),
            Setting(
                key: "retention.\(operation).runs", kind: .integer(1...100_000_000), standard: isWatched ? "100" : nil,
                help: "How many ended runs of \(operation) are kept; without it as `retention.runs` says."),
        ]
    }

    /// The setting of that key.
    static func named(_ key: String) -> Setting? { all.first { $0.key == key } }

    /// The key of the setting that a mistyped key most resembles, if one does.
    static func resembling(_ key: String) -> String? {
        let ranked = all.map { (key: $0.key, distance: distance(key, $0.key)) }.min { $0.distance < $1.distance }
        return ranked.flatMap { $0.distance <= max(1, key.count / 3) ? $0.key : nil }
    }

    /// The number of letters to add, drop or change to get from one word to the other (Levenshtein 1965).
    private static func distance(_ left: String, _ right: String) -> Int {
        let right = Array(right)
        var row = Array(0...right.count)
        for (i, letter) in left.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, other) in right.enumerated() {
                let changed = diagonal + (letter == other ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(changed, row[j] + 1, row[j + 1] + 1)
            }
        }
        return row[right.count]
    }
}
