import ArgumentParser
import Foundation
import Testing
@testable import WeirCommand

@Suite struct CommandLineTests {
    @Test func `the help of each command has an example that the command accepts, and that of weir the exit codes`()
        throws
    {
        var commands: [any ParsableCommand.Type] = [RootCommand.self]
        var examples = 0
        while let command = commands.popLast() {
            commands += command.configuration.subcommands
            guard command.configuration.subcommands.isEmpty else { continue }
            let lines = command.configuration.discussion.split(separator: "\n")
            let example = try #require(lines.drop { $0 != "EXAMPLE:" }.dropFirst().first, "\(command)")
            let words = example.split(separator: " ").dropFirst().map { String($0.filter { $0 != "'" }) }
            #expect(type(of: try RootCommand.parseAsRoot(words)) == command, "\(example)")
            examples += 1
        }
        #expect(examples > 40)
        #expect(RootCommand.helpMessage().contains("69  no server answers"))
    }

    @Test func `an export is of a run or of what filters find, not of both`() throws {
        #expect(try Export.parse(["r1"]).run == "r1")
        #expect(try Export.parse(["--operation", "backup", "--phase", "failed"]).only.operation == ["backup"])
        #expect(try Export.parse([]).run == nil)
        #expect(throws: (any Error).self) { try Export.parse(["r1", "--operation", "backup"]) }
    }

    @Test func `the command for further runs has the filters of this one, quoted for a shell`() throws {
        let plain = try ListRuns.parse(["--operation", "nap", "--limit", "2", "--before", "900"])
        #expect(plain.command(before: "449") == "weir runs --operation nap --limit 2 --before 449")
        let quoted = try ListRuns.parse([
            "--server", "https://weir.example", "--text", "it's $HOME", "--actor=-ana", "--started-after",
            "2026-11-22T12:00:00+01:00", "--json",
        ])
        #expect(
            quoted.command(before: "7")
                == "weir runs --server https://weir.example --actor=-ana --text 'it'\\''s $HOME' "
                + "--started-after 2026-11-22T12:00:00+01:00 --limit 50 --before 7 --json")
    }

    @Test(arguments: ["operation", "phase", "actor", "text", "attempt"])
    func `a filter that is given twice or without a value is refused, because it would find other runs`(_ name: String)
    {
        for words in [["--\(name)", "1", "--\(name)", "2"], ["--\(name)", ""]] {
            #expect(throws: (any Error).self) { try ListRuns.parse(words) }
            #expect(throws: (any Error).self) { try Export.parse(words) }
        }
        for times in [
            ["--started-after", "", "--limit", "2"], ["--started-before", "2026", "--started-before", "2025"],
        ] {
            #expect(throws: (any Error).self) { try ListRuns.parse(times) }
        }
        #expect(throws: (any Error).self) { try Export.parse(["--since", "2h", "--since", "3h"]) }
    }

    @Test func `a list of runs is of the caller's own or of an actor's, not of both`() throws {
        #expect(try ListRuns.parse(["--mine"]).command(before: "7") == "weir runs --actor me --limit 50 --before 7")
        #expect(throws: (any Error).self) { try ListRuns.parse(["--mine", "--actor", "ana"]) }
    }

    @Test func `a server that was signed in to is asked with its token, also where its address is given`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "weir-\(UUID().uuidString)")
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
        let environment = ["XDG_CONFIG_HOME": folder.path]
        var profiles = Profiles()
        profiles.add(try ServerAddress("https://a.example"), .init(token: "of-a"))
        profiles.add(try ServerAddress("https://b.example"), .init(token: "of-b"))
        try ProfileFile(environment: environment).write(profiles)
        func connection(_ words: String...) throws -> ServerConnection {
            try ConnectionOptions.parse(words).connection(environment: environment)
        }
        #expect(try connection().token == "of-b")
        #expect(try connection("--server", "https://a.example").token == "of-a")
        let file = folder.appending(path: "token")
        try Data("given\n".utf8).write(to: file)
        #expect(try connection("--token-file", file.path).token == "given")
        #expect(try connection("--token-file", file.path).address.host == "b.example")
    }

    @Test func `whoever names server and token needs no profiles that can be read`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "weir-\(UUID().uuidString)")
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
        let environment = ["XDG_CONFIG_HOME": folder.path]
        try ProfileFile(environment: environment).write(Profiles())
        let broken = ProfileFile(environment: environment).path
        try Data("not JSON".utf8).write(to: URL(filePath: broken))
        let file = folder.appending(path: "token")
        try Data("given\n".utf8).write(to: file)
        let options = try ConnectionOptions.parse(["--server", "https://a.example", "--token-file", file.path])
        #expect(try options.connection(environment: environment).token == "given")
        #expect(throws: ClientError.self) { try ConnectionOptions.parse([]).connection(environment: environment) }
    }
}
