import Foundation
import Logging
import Testing
import TestSupport

@testable import WeirAccess

@Suite(.timeLimit(.minutes(15))) struct KeptSecretsTests {
    private func withSecrets(_ body: (KeptSecrets, URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "weir-secrets-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
        let file = folder.appending(path: "secrets.json")
        try body(KeptSecrets(file), file)
    }

    @Test func `a secret that was set is there at the next use, in a file that only its owner can read`() throws {
        try withSecrets { secrets, file in
            try secrets.set("key", to: "a")
            try secrets.set("other", to: "b")
            try secrets.set("key", to: "c")
            #expect(try KeptSecrets(file).all() == ["key": "c", "other": "b"])
            let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? NSNumber
            #expect(mode?.intValue == 0o600)
            try secrets.set("other", to: nil)
            #expect(try secrets.all() == ["key": "c"])
            let names = try FileManager.default.contentsOfDirectory(atPath: file.deletingLastPathComponent().path)
            #expect(names == ["secrets.json"])
        }
    }

    @Test func `whoever sets a secret that cannot be kept is told`() throws {
        try withSecrets { secrets, file in
            let nowhere = KeptSecrets(file.deletingLastPathComponent().appending(path: "none/secrets.json"))
            let unwritten = #expect(throws: AccessError.self) { try nowhere.set("key", to: "a") }
            #expect(unwritten?.description.contains("cannot be written") == true)
            try Data("half a fi".utf8).write(to: file)
            let unread = #expect(throws: AccessError.self) { try secrets.set("key", to: "a") }
            #expect(unread?.description.contains("cannot be read") == true)
            #expect(secrets.value("key") == nil)
        }
    }

    @Test func `a file that is emptied or removed while it is in use takes no secret away, and the log says so once`()
        throws
    {
        try withSecrets { _, file in
            let log = CapturedLog(level: .error)
            let secrets = KeptSecrets(file, logger: log.logger)
            try secrets.set("key", to: "a")
            try secrets.set("other", to: "b")
            #expect(secrets.value("key") == "a")
            try Data().write(to: file)
            #expect(secrets.value("key") == "a" && secrets.value("other") == "b")
            try FileManager.default.removeItem(at: file)
            #expect(secrets.value("other") == "b")
            #expect(log.messages().count == 1)
            // A command takes one away, also the last one.
            try secrets.set("key", to: "c")
            #expect(secrets.value("key") == "c" && secrets.value("other") == nil)
            try secrets.set("key", to: nil)
            #expect(secrets.value("key") == nil)
        }
    }

    @Test func `a secret that has another value is named in the log once, whichever secret is used next`() throws {
        try withSecrets { _, file in
            let log = CapturedLog(level: .notice)
            let secrets = KeptSecrets(file, logger: log.logger)
            try secrets.set("key", to: "first value")
            try secrets.set("other", to: "b")
            #expect(secrets.value("key") == "first value" && log.lines == [])
            // Another process sets it.
            try KeptSecrets(file).set("key", to: "second value")
            #expect(secrets.value("other") == "b" && secrets.value("key") == "second value")
            #expect(log.lines.count == 1 && log.lines[0].contains("another value") && log.lines[0].contains("key"))
            #expect(!log.lines[0].contains("first") && !log.lines[0].contains("second"))
        }
    }

    @Test func `a file that cannot be read at the first use is told in the log once, and none is no mistake`() throws {
        try withSecrets { _, file in
            let log = CapturedLog(level: .error)
            #expect(KeptSecrets(file, logger: log.logger).value("key") == nil)
            #expect(log.messages() == [])
            try Data("half a fi".utf8).write(to: file)
            let secrets = KeptSecrets(file, logger: log.logger)
            #expect(secrets.value("key") == nil && secrets.value("key") == nil)
            #expect(log.messages().count == 1)
        }
    }

    @Test func `a pipe in the place of the file is told, and nobody waits for it`() throws {
        try withSecrets { secrets, file in
            let pipe = try NamedPipe(at: file)
            #expect(throws: AccessError.self) { try secrets.all() }
            withExtendedLifetime(pipe) {}
        }
    }

    @Test func `a secret is as long as it may be and no longer, and is never nothing`() throws {
        try withSecrets { secrets, _ in
            let longest = String(repeating: "x", count: KeptSecrets.limit)
            try secrets.set("key", to: longest)
            #expect(secrets.value("key") == longest)
            for text in ["", longest + "x"] {
                #expect(throws: AccessError.self) { try secrets.set("key", to: text) }
            }
            #expect(secrets.value("key") == longest)
        }
    }

    @Test func `a name that is none, and a secret that is not there, are told`() throws {
        try withSecrets { secrets, _ in
            for name in ["", "a b", "é", String(repeating: "x", count: 41)] {
                #expect(throws: AccessError.self) { try secrets.set(name, to: "a") }
            }
            #expect(throws: AccessError.self) { try secrets.set("none", to: nil) }
        }
    }
}
