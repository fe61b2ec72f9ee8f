import Foundation
import Logging
import Synchronization
import TestSupport
import Testing

@testable import WeirCommand

@Suite(.timeLimit(.minutes(5))) struct SettingsReloadTests {
    /// A settings file in a folder of its own, and the log of those who read it.
    private final class Fixture: Sendable {
        let folder = FileManager.default.temporaryDirectory.appending(path: "weir-" + UUID().uuidString)
        let log = CapturedLog(level: .info)
        var file: URL { folder.appending(path: "weir.yml") }

        init(_ text: String) throws {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try write(text)
        }

        deinit { try? FileManager.default.removeItem(at: folder) }

        func write(_ text: String) throws { try text.write(to: file, atomically: true, encoding: .utf8) }

        var sources: SettingSources { SettingSources(flags: FlagTexts(["--port", "0"]), config: file.path) }

        func logger(_ level: LogLevel) -> Logger {
            Logger(label: "test") { _ in LeveledLogHandler(log.handler, level: level) }
        }
    }

    @Test func `what can be taken up is, and the rest is said to take a restart, each time`() throws {
        let fixture = try Fixture("host: 127.0.0.1\nlog-level: warning\n")
        let settings = try fixture.sources.read()
        let level = LogLevel(settings)
        let reload = SettingsReload(settings, logger: fixture.logger(level))
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
        let reload = SettingsReload(settings, logger: fixture.logger(level))
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
