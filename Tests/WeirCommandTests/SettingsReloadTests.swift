import Foundation
import Logging
import Synchronization
import Testing
import TestSupport
import WeirAccess
import WeirBoards
import WeirFlows
import WeirJournals

@testable import WeirCommand

@Suite(.timeLimit(.minutes(15))) struct SettingsReloadTests {
    /// A settings file in a folder of its own, and the log of those who read it.
    private final class Fixture: Sendable {
        let folder = FileManager.default.temporaryDirectory.appending(path: "weir-" + UUID().uuidString)
        let log = CapturedLog(level: .info)
        let refused = MutableStateFlow<RefusedSettings?>(nil)
        let audit: AuditLog
        var file: URL { folder.appending(path: "weir.yml") }

        init(_ text: String) throws {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            audit = try AuditLog(folder: folder.appending(path: "audit"), logger: log.logger)
            try write(text)
        }

        var data: DataFolder { DataFolder(folder) }

        func reload(_ settings: Settings, _ logger: Logger? = nil) -> SettingsReload {
            SettingsReload(
                settings, folder: data, audit: audit, refused: refused, now: { Timestamp(milliseconds: 5) },
                logger: logger ?? log.logger)
        }

        /// What the audit has of settings, oldest first.
        func audited() async throws -> [String] {
            await audit.flush()
            return try await audit.page(AuditFilter(action: .changeSettings), limit: 100).records.reversed().map {
                "\($0.entry.outcome.rawValue) \($0.entry.subject ?? "") \($0.entry.detail ?? "")"
            }
        }

        deinit { try? FileManager.default.removeItem(at: folder) }

        func write(_ text: String) throws { try text.write(to: file, atomically: true, encoding: .utf8) }

        var sources: SettingSources { SettingSources(flags: FlagTexts(["--port", "0"]), config: file.path) }

        func logger(_ level: LogLevel) -> Logger {
            Logger(label: "test") { _ in LeveledLogHandler(log.handler, level: level) }
        }
    }

    @Test func `what can be taken up is, and the rest is said to take a restart, each time`() throws {
        let fixture = try Fixture("host: 127.0.0.1\nlog-level: notice\n")
        let settings = try fixture.sources.read()
        let level = LogLevel(settings)
        let reload = fixture.reload(settings, fixture.logger(level))
        try fixture.write("host: 127.0.0.2\nlog-level: debug\nallowed-hosts: [a.example]\nretention:\n  days: 3\n")
        let taken = Mutex<[[String]]>([])
        let take = { (new: Settings) in
            level.take(new)
            taken.withLock { $0.append(new.list("allowed-hosts")) }
        }
        reload.reload(from: fixture.sources, taking: take)
        reload.reload(from: fixture.sources, taking: take)
        #expect(level.value == .debug)
        #expect(taken.withLock { $0 } == [["a.example"], ["a.example"]])
        #expect(
            fixture.log.lines == [
                "notice A setting was changed. after=a.example before=none setting=allowed-hosts",
                "notice A setting was changed. after=127.0.0.2 before=127.0.0.1 setting=host",
                "notice A setting was changed. after=debug before=notice setting=log-level",
                "notice A setting was changed. after=3 before=30 setting=retention.days",
                "notice The settings were read again. after a restart=host applied=allowed-hosts, log-level, retention.days",
                "notice The settings were read again. after a restart=host applied=none",
            ])
    }

    @Test func `a pipe in the place of the file is refused, and nobody waits for it`() throws {
        let fixture = try Fixture("")
        try FileManager.default.removeItem(at: fixture.file)
        let pipe = try NamedPipe(at: fixture.file)
        let error = #expect(throws: SettingsError.self) { try fixture.sources.read() }
        #expect(error?.mistakes.first?.detail.hasPrefix("cannot be read; use an existing file, and no pipe") == true)
        withExtendedLifetime(pipe) {}
    }

    @Test func `a file with a mistake leaves everything as it is, and the log says where the mistake is`() throws {
        let fixture = try Fixture("log-level: info\n")
        let settings = try fixture.sources.read()
        let level = LogLevel(settings)
        let reload = fixture.reload(settings, fixture.logger(level))
        try fixture.write("log-level: debug\nallowed-hosts: [a.example]\nprot: 1\n")
        reload.reload(from: fixture.sources) { _ in Issue.record("a mistake was taken up") }
        #expect(level.value == .info)
        #expect(
            fixture.log.lines == [
                "error \(fixture.file.path):3: there is no setting `prot`; did you mean `port`?",
                "error The settings have mistakes and were not applied; the previous settings stay in force.",
            ])
        try FileManager.default.removeItem(at: fixture.file)
        reload.reload(from: fixture.sources) { _ in Issue.record("a file that is gone was taken up") }
        #expect(fixture.log.lines.count == 4)
    }

    private static let whole = """
        allowed-hosts: [a.example, b.example]
        retention:
          days: 90
          greeting:
            runs: 7
        roles:
          deployer:
            verbs: [see, start]
            operations: ["deploy-*"]
        grants:
          - role: deployer
            to:
              - group:ops
              - user:ana
          - role: viewer
            to: signed-in
            operations: ["report-*"]
        notify:
          - when: [failed]
            webhook:
              url: https://chat.example/secret-path

        """

    @Test func `a file that is cut at any line is refused as a whole, and every page says so until a good one`()
        async throws
    {
        let lines = Self.whole.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        for count in 0..<lines.count - 1 {
            let fixture = try Fixture(Self.whole)
            let reload = fixture.reload(try fixture.sources.read())
            try fixture.write(lines.prefix(count).map { $0 + "\n" }.joined())
            reload.reload(from: fixture.sources) { _ in Issue.record("\(count) lines were applied") }
            #expect(fixture.refused.value?.at == Timestamp(milliseconds: 5))
            #expect(reload.inForce.integer("retention.days") == 90)
            try fixture.write(Self.whole)
            var isApplied = false
            reload.reload(from: fixture.sources) { _ in isApplied = true }
            #expect(isApplied && fixture.refused.value == nil)
        }
    }

    @Test
    func `an empty file, one that is gone and one cut within a line lose nothing, and the log says what they lack`()
        async throws
    {
        let fixture = try Fixture("retention:\n  days: 90\ngrants:\n  - {role: viewer, to: signed-in}\n")
        let reload = fixture.reload(try fixture.sources.read())
        try fixture.write("")
        reload.reload(from: fixture.sources) { _ in Issue.record("it was applied") }
        #expect(fixture.refused.value?.lost == ["retention.days", "grants"])
        #expect(fixture.log.lines.count == 1)
        #expect(
            fixture.log.lines.first?.contains("`weir settings accept`, and reload again. lacks=retention.days, grants")
                == true)
        #expect(
            try await fixture.audited() == [
                "failed  Refused, as the settings file lacks keys in force: retention.days, grants."
            ])
        try fixture.write("grants:\n  - {role: viewer, to: signed-in}\nretention:\n  days: 9")
        reload.reload(from: fixture.sources) { _ in Issue.record("it was applied") }
        #expect(fixture.refused.value?.lost == ["the end of the last line"])
        try FileManager.default.removeItem(at: fixture.file)
        reload.reload(from: fixture.sources) { _ in Issue.record("it was applied") }
        #expect(fixture.refused.value?.lost == [])
    }

    @Test(arguments: [
        ("grants:\n  - {role: viewer, to: [signed-in]}\n", ["roles", "grants[2]", "grants[1].to user:ana"]),
        ("roles: {}\ngrants: []\n", []), ("roles: {}\n", ["grants"]),
        ("roles:\n  own: {verbs: [see]}\ngrants: []\n", ["roles.own.verbs start", "roles.own.tags"]),
        ("roles: {}\ngrants:\n- {role: admin, to: [user:eva, user:udo]}\n- {role: viewer, to: everyone}\n", []),
        ("roles:\ngrants: []\n", ["roles"]),
    ])
    func `an explicit empty list and another value are no loss, and a shorter list is`(text: String, lost: [String]) {
        let before = SettingsFile(
            text: """
                roles:
                  own: {verbs: [see, start], tags: [a]}
                grants:
                - {role: viewer, to: [signed-in, user:ana]}
                - {role: own, to: group:ops}

                """, name: "a")
        #expect(Set(before.lost(in: SettingsFile(text: text, name: "b"))) == Set(lost))
    }

    @Test(arguments: [
        ("allowed-hosts: [a.example]\n", ["allowed-hosts b.example"]),
        ("allowed-hosts: [c.example]\n", ["allowed-hosts a.example", "allowed-hosts b.example"]),
        ("allowed-hosts: [c.example, d.example]\n", []), ("allowed-hosts: [b.example, a.example, c.example]\n", []),
    ])
    func `a list of values that gets shorter loses those that are gone, and another list as long loses none`(
        text: String, lost: [String]
    ) {
        let before = SettingsFile(text: "allowed-hosts: [a.example, b.example]\n", name: "a")
        #expect(before.lost(in: SettingsFile(text: text, name: "b")) == lost)
    }

    @Test func `two hundred changes are announced one by one, and the others by their names`() throws {
        for count in [200, 201] {
            let fixture = try Fixture("")
            let reload = fixture.reload(try fixture.sources.read())
            let users = (100..<100 + count).map { "user:u\($0)" }.joined(separator: ", ")
            try fixture.write("grants:\n  - {role: viewer, to: [\(users)]}\n")
            reload.reload(from: fixture.sources) { _ in }
            #expect(fixture.log.lines.count { $0.hasPrefix("notice A setting was changed.") } == 200)
            #expect(
                fixture.log.lines.filter { $0.contains("Further") }
                    == (count == 200 ? [] : ["notice Further settings were changed. settings=grants user:u300"]))
        }
    }

    @Test func `a file that is accepted is applied once, and no other, and only its owner reads which it is`() throws {
        let fixture = try Fixture("log-level: info\nretention:\n  days: 90\n")
        let reload = fixture.reload(try fixture.sources.read())
        let acceptance = SettingsAcceptance(fixture.data)
        var applied = 0
        let shrunken = "log-level: info\n"
        try acceptance.give(SettingsFile(text: "log-level: debug\n", name: ""))
        let accepted = fixture.data.url.appending(path: "accepted-settings").path
        let mode = try FileManager.default.attributesOfItem(atPath: accepted)[.posixPermissions] as? NSNumber
        #expect(mode?.intValue == 0o600)
        try fixture.write(shrunken)
        reload.reload(from: fixture.sources) { _ in applied += 1 }
        // The acceptance of another file is used up.
        try fixture.write("log-level: debug\n")
        reload.reload(from: fixture.sources) { _ in applied += 1 }
        #expect(applied == 0)
        try fixture.write(shrunken)
        try acceptance.give(SettingsFile(text: shrunken, name: ""))
        reload.reload(from: fixture.sources) { _ in applied += 1 }
        #expect(applied == 1)
        #expect(reload.inForce.integer("retention.days") == 30)
        #expect(acceptance.take() == nil)
    }

    @Test func `rights that are taken and messages that change are in the log and the audit, before they are in force`()
        async throws
    {
        let fixture = try Fixture(Self.whole)
        let reload = fixture.reload(try fixture.sources.read())
        try fixture.write(
            Self.whole.replacing("user:ana", with: "user:bob").replacing("[see, start]", with: "[see, cancel]")
                .replacing("secret-path", with: "other-path"))
        var said: [String] = []
        reload.reload(from: fixture.sources) { _ in said = fixture.log.lines }
        #expect(
            said == [
                "warning A setting was changed. after=none before=deployer setting=grants user:ana",
                "notice A setting was changed. after=deployer before=none setting=grants user:bob",
                "notice A setting was changed. after=failed: Webhook: chat.example (another value) before=failed: Webhook: chat.example setting=notify 1",
                "warning A setting was changed. after=see, cancel (operations deploy-*) before=see, start (operations deploy-*) setting=roles.deployer",
            ])
        let audited = try await fixture.audited()
        #expect(audited.first == "done setting:grants user:ana before: deployer; after: none")
        #expect(audited.count == 4)
        #expect(!(fixture.log.lines + audited).contains { $0.contains("path") })
    }

    @Test func `a start with other settings than the last one says in log and audit what has changed`() async throws {
        let fixture = try Fixture(Self.whole)
        fixture.reload(try fixture.sources.read()).begin()
        #expect(fixture.log.lines == [])
        try fixture.write(
            "audit:\n  head-url: https://log.example/hook?token=x\njournal: postgres://ana:pass@db.example/weir\n")
        let reload = fixture.reload(try fixture.sources.read())
        reload.begin()
        let audited = try await fixture.audited()
        #expect(audited.contains("done setting:grants user:ana before: deployer; after: none"))
        #expect(audited.contains("done setting:retention.days before: 90; after: 30"))
        #expect(audited.contains("done setting:audit.head-url before: none; after: https://log.example/…"))
        #expect(audited.contains("done setting:journal before: sqlite; after: postgres://db.example/…"))
        let mode = try FileManager.default.attributesOfItem(atPath: fixture.data.settings.path)[.posixPermissions]
        #expect((mode as? NSNumber)?.intValue == 0o600)
        fixture.reload(try fixture.sources.read()).begin()
        #expect(try await fixture.audited().count == audited.count)
    }

    @Test func `a logger follows the level that is in force, unless it has one of its own`() throws {
        let fixture = try Fixture("log-level: error\n")
        let level = LogLevel(try fixture.sources.read())
        let logger = fixture.logger(level)
        var own = logger
        own.logLevel = .trace
        logger.info("not worth it")
        own.info("worth it to this one")
        try fixture.write("log-level: trace\n")
        level.take(try fixture.sources.read())
        logger.info("worth it now")
        #expect(fixture.log.lines == ["info worth it to this one", "info worth it now"])
    }
}
