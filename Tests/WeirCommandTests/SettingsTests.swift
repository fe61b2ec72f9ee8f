import Foundation
import Testing
import WeirBoards
import WeirFlows
import WeirJournals
import WeirOperations
import WeirStates
import WeirWeb

@testable import WeirCommand

@Suite struct SettingsTests {
    private func settings(
        flags: [String] = [], environment: [String: String] = [:], file: String? = nil
    ) throws(SettingsError) -> Settings {
        try Settings(
            flags: FlagTexts(flags), environment: environment,
            file: file.map { SettingsFile(text: $0, name: "weir.yml") })
    }

    @Test func `without any source a setting has its default`() throws {
        let settings = try settings()
        #expect(settings.text("host") == "127.0.0.1")
        #expect(settings.integer("port") == 8_080)
        #expect(settings.duration("iss-position.interval") == .seconds(5))
        #expect(settings.text("templates") == nil)
    }

    @Test func `a flag counts before the environment, the environment before the file`() throws {
        let file = "host: ::1\nport: 1\niss-position:\n  url: http://file.example/\n"
        let environment = ["WEIR_PORT": "2", "WEIR_ISS_POSITION_URL": "http://environment.example/"]
        let settings = try settings(flags: ["--port", "3"], environment: environment, file: file)
        #expect(settings.integer("port") == 3)
        #expect(settings.text("iss-position.url") == "http://environment.example/")
        #expect(settings.text("host") == "::1")
    }

    @Test func `a list is a list in the file and separated by commas elsewhere`() throws {
        #expect(
            try settings(file: "allowed-hosts: [a.example, b.example]").list("allowed-hosts") == [
                "a.example", "b.example",
            ])
        #expect(
            try settings(environment: ["WEIR_ALLOWED_HOSTS": "a.example, b.example"]).list("allowed-hosts")
                == ["a.example", "b.example"])
    }

    @Test func `a number of bytes is read with its unit, and refused in words without one that is known`() throws {
        #expect(try settings().bytes("import.maximum-size") == ByteCount("256 MB"))
        #expect(
            try settings(environment: ["WEIR_UPLOAD_MAXIMUM_SIZE": "2 GiB"]).bytes("upload.maximum-size")?.bytes == 2
                << 30)
        #expect(try settings(file: "import:\n  maximum-line: 1000").bytes("import.maximum-line")?.bytes == 1_000)
        let error = #expect(throws: SettingsError.self) {
            try settings(environment: ["WEIR_UPLOAD_MAXIMUM_SIZE": "0", "WEIR_IMPORT_MAXIMUM_SIZE": "2 apples"])
        }
        #expect(
            error?.mistakes.map(\.description) == [
                "WEIR_UPLOAD_MAXIMUM_SIZE: is \"0\"; it must be a number of bytes such as 512 MB or 2 GiB, and not 0",
                "WEIR_IMPORT_MAXIMUM_SIZE: is \"2 apples\"; it must be a number of bytes such as 512 MB or 2 GiB, and not 0",
            ])
    }

    @Test func `all mistakes are told at once, each with its place`() {
        let file = """
            port: many
            templatse: 80
            iss-position:
              url: ftp://x
            journal: [sqlite]
            """
        let error = #expect(throws: SettingsError.self) {
            try settings(flags: ["--port=70000"], environment: ["WEIR_LOG_LEVEL": "loud"], file: file)
        }
        #expect(
            error?.mistakes.map(\.description) == [
                "--port: is \"70000\"; it must be a whole number from 0 to 65535",
                "WEIR_LOG_LEVEL: is \"loud\"; it must be one of trace, debug, info, notice, warning, error, critical",
                "weir.yml:1: `port` is \"many\"; it must be a whole number from 0 to 65535",
                "weir.yml:2: there is no setting `templatse`; did you mean `templates`?",
                "weir.yml:4: `iss-position.url` is \"ftp://x\"; it must be a URL that begins with http:// or https://",
                "weir.yml:5: `journal` must be a single value",
            ])
    }

    @Test func `a journal is kept in a file, in memory or in a database, and a URL is never repeated`() throws {
        let url = "postgres://anna:hunter2@db.example/weir?sslmode=verify-full"
        #expect(try settings(environment: ["WEIR_JOURNAL": url]).text("journal") == url)
        for wrong in ["postgres://anna:hunter2@[/x", "mysql://anna:hunter2@db/weir", "oracle"] {
            let error = #expect(throws: SettingsError.self) { try settings(environment: ["WEIR_JOURNAL": wrong]) }
            #expect(error?.description.contains("postgres://USER@HOST") == true)
            #expect(error?.description.contains("hunter2") == false)
        }
    }

    // S5
    @Test func `places that requests may go to are read from a list, and mistakes in it are told`() throws {
        #expect(try settings().allowances.isEmpty)
        let places = "http-request:\n  allow: [10.0.0.0/8, 'localhost:9000', feeds.example]"
        #expect(try settings(file: places).allowances.count == 3)
        #expect(try settings(environment: ["WEIR_HTTP_REQUEST_ALLOW": "::1, 127.0.0.1 "]).allowances.count == 2)
        let error = #expect(throws: SettingsError.self) {
            try settings(environment: ["WEIR_HTTP_REQUEST_ALLOW": "10.0.0.1,127.1"], file: "http-request: {allow: ' '}")
        }
        #expect(
            error?.mistakes.map(\.description) == [
                "WEIR_HTTP_REQUEST_ALLOW: has \"127.1\"; write an address, a network such as 10.0.0.0/8, "
                    + "the name of a host, or host:port",
                "weir.yml:1: `http-request.allow` is empty; leave it out to use the default",
            ])
    }

    // S1, S7
    @Test(arguments: ["http://a:65536/", "http://bob:SECRET@a/", "ftp://bob:SECRET@a/", "http://"])
    func `a feed's address that cannot be asked is told when the server starts, without what it lets in by`(url: String)
    {
        let error = #expect(throws: SettingsError.self) { try settings(environment: ["WEIR_ISS_POSITION_URL": url]) }
        #expect(error?.mistakes.count == 1 && error?.description.contains("SECRET") == false)
    }

    // S9
    @Test func `how many runs may go has three settings`() throws {
        let settings = try settings(environment: ["WEIR_RUNS_MAXIMUM_PER_ACTOR": "7"])
        #expect(settings.integer("runs.maximum") == 1_000 && settings.integer("runs.maximum-per-operation") == 500)
        #expect(settings.integer("runs.maximum-per-actor") == 7)
        #expect(throws: SettingsError.self) { try self.settings(environment: ["WEIR_RUNS_MAXIMUM": "0"]) }
    }

    @Test func `each limit of a setting is the one that the server keeps`() throws {
        let settings = try settings(environment: [
            "WEIR_RUNS_MAXIMUM": "11", "WEIR_RUNS_MAXIMUM_PER_OPERATION": "12", "WEIR_RUNS_MAXIMUM_PER_ACTOR": "13",
            "WEIR_REPORTS_MAXIMUM": "14", "WEIR_REPORTS_LEASE": "31", "WEIR_REPORTS_MAXIMUM_LEASE": "32",
            "WEIR_REPORTS_STATE_BYTES": "2033", "WEIR_REQUESTS_ANSWER_MEMORY": "2000034",
            "WEIR_STORE_STATE_BYTES": "2015", "WEIR_STORE_STATE_WRITES": "16", "WEIR_IMPORT_MAXIMUM_SIZE": "17 kB",
            "WEIR_IMPORT_MAXIMUM_LINE": "18 kB", "WEIR_EXPORT_MAXIMUM_CONCURRENT": "19",
            "WEIR_CONNECTIONS_COUNT": "1020", "WEIR_CONNECTIONS_PER_ADDRESS": "21", "WEIR_CONNECTIONS_IDLE": "22",
            "WEIR_CONNECTIONS_HEAD": "23", "WEIR_CONNECTIONS_BODY_GRACE": "24", "WEIR_CONNECTIONS_STALL": "25",
        ])
        var board = Board.Configuration()
        settings.setLimits(of: &board)
        #expect(board.maximumActiveRuns == 11 && board.maximumActiveRunsPerOperation == 12)
        #expect(board.maximumActiveRunsPerActor == 13 && board.maximumReportedRuns == 14)
        #expect(board.reportLease == .seconds(31) && board.maximumReportLease == .seconds(32))
        var web = WebConfiguration()
        settings.setLimits(of: &web)
        #expect(web.reports.stateBytes == 2_033 && web.answerMemory == 2_000_034)
        #expect(web.maximumStateBytes == 2_015 && web.stateWritesPerMinute == 16)
        #expect(web.maximumImportBytes == 17_000 && web.maximumImportLine.bytes == 18_000 && web.maximumExports == 19)
        #expect(web.connections.count == 1_020 && web.connections.countPerAddress == 21)
        #expect(web.connections.idle == .seconds(22) && web.connections.head == .seconds(23))
        #expect(web.connections.bodyGrace == .seconds(24) && web.connections.stall == .seconds(25))
    }

    @Test(arguments: [
        "127.0.0.1": true, "::1": true, "localhost": true, "0.0.0.0": false, "192.0.2.1": false, "::": false,
    ])
    func `who only says who they are is believed on this machine alone`(host: String, isBelieved: Bool) throws {
        #expect(try settings(environment: ["WEIR_HOST": host]).isOnLoopback == isBelieved)
    }

    @Test func `a file that is no YAML is told with the line`() {
        let error = #expect(throws: SettingsError.self) { try settings(file: "port: 1\nhost: \"open\n") }
        #expect(error?.mistakes.first?.place.hasPrefix("weir.yml:") == true)
    }

    @Test func `an empty file is no mistake`() throws {
        #expect(try settings(file: "# nothing yet\n").integer("port") == 8_080)
    }

    @Test func `each operation is kept as all are, or as it is said of it alone`() throws {
        let day: Int64 = 86_400_000
        let standard = try settings().retention
        #expect(standard.limits(of: "greeting") == .init(maximumAge: 30 * day, maximumRuns: 10_000))
        #expect(standard.limits(of: "host-vitals") == .init(maximumAge: 7 * day, maximumRuns: 100))
        let file = "retention:\n  days: 10\n  greeting:\n    runs: 5\n"
        let own = try settings(environment: ["WEIR_RETENTION_FILE_UPLOAD_DAYS": "2"], file: file).retention
        #expect(own.limits(of: "greeting") == .init(maximumAge: 10 * day, maximumRuns: 5))
        #expect(own.limits(of: "file-upload") == .init(maximumAge: 2 * day, maximumRuns: 10_000))
        #expect(own.limits(of: "http-request") == .init(maximumAge: 10 * day, maximumRuns: 10_000))
        #expect(throws: SettingsError.self) { try settings(file: "retention:\n  nothing:\n    runs: 5\n") }
    }

    @Test func `every operation of the catalog has its settings`() throws {
        let port = MutableStateFlow<Int?>(nil)
        let catalog = StandardCatalog(settings: try settings(), folder: URL(filePath: "."), port: port.asStateFlow())
            .served
        let without = StandardCatalog(
            settings: try settings(file: "examples: no\n"), folder: URL(filePath: "."), port: port.asStateFlow())
        #expect(without.served.entries.isEmpty)
        #expect(catalog.entries.map(\.id).sorted() == StandardCatalog.ids.sorted())
        let watched = catalog.entries.filter { if case .whileWatched = $0.lifetime { true } else { false } }
        #expect(Set(watched.map(\.id)) == StandardCatalog.watchedIDs)
    }

    @Test func `a moment can be said as how long ago it was`() {
        let now = Timestamp(milliseconds: 10_000_000)
        #expect(Export.moment("90m", now: now) == Timestamp(milliseconds: 4_600_000).description)
        #expect(Export.moment("2s", now: now) == Timestamp(milliseconds: 9_998_000).description)
        #expect(Export.moment("2026-11-21", now: now) == "2026-11-21")
        #expect(Export.moment("-1h", now: now) == "-1h")
    }

    @Test func `each default is one that the setting itself accepts`() {
        for setting in Setting.all {
            if let standard = setting.standard { #expect(setting.mistake(in: standard) == nil, "\(setting.key)") }
        }
    }
}
