import Foundation
import Testing
import TestSupport
import WeirBoards
import WeirFlows
@testable import WeirOperations
import WeirStates

@testable import WeirFiles

/// The files that runs of programs keep.
@Suite(.timeLimit(.minutes(15)))
struct KeptFilesTests {
    private final class Place {
        let folder = FileManager.default.temporaryDirectory.appending(path: "weir-kept-\(UUID().uuidString)")
        let store: ArtifactStore

        var data: URL { folder.appending(path: "data") }
        var work: URL { folder.appending(path: "work") }

        init(_ limits: ArtifactStore.Limits = .init()) throws {
            store = ArtifactStore(folder.appending(path: "data"), limits: limits)
            for url in [data, work] {
                try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
            }
        }

        deinit { try? FileManager.default.removeItem(at: folder) }

        func run(
            _ text: String, onState: @escaping @Sendable (Run<CommandState>, CommandState) -> Void = { _, _ in }
        ) async throws -> FileTrial {
            try await FileTrial.run(text, folder: work, artifacts: store, onState: onState)
        }

        /// The contents of the kept files, by name.
        func contents(_ artifacts: [Artifact]) -> [String: String] {
            var contents: [String: String] = [:]
            for (index, artifact) in artifacts.enumerated() {
                let bytes = try? store.open(index, named: artifact.name, run: "r1")?.readToEnd()
                contents[artifact.name] = String(decoding: bytes ?? Data(), as: UTF8.self)
            }
            return contents
        }
    }

    private static func file(_ shell: String, _ artifacts: String, _ more: String = "") -> String {
        let script = shell.split(separator: "\n").map { "  \($0)\n" }.joined()
        return "title: T\nshell: |\n\(script)artifacts: \(artifacts)\n\(more)"
    }

    @Test(arguments: [0, 3])
    func `files that match are kept in order of their names when the program ends, also if it fails`(code: Int)
        async throws
    {
        let place = try Place()
        let trial = try await place.run(
            Self.file(
                "mkdir -p dist/x; echo b >dist/b.txt; echo a >dist/a.txt; echo c >dist/x/c.txt; exit \(code)",
                "[dist/*.txt]"))
        let artifacts = trial.last?.artifacts ?? []
        #expect(artifacts == [Artifact(name: "dist/a.txt", bytes: 2), Artifact(name: "dist/b.txt", bytes: 2)])
        #expect(place.contents(artifacts) == ["dist/a.txt": "a\n", "dist/b.txt": "b\n"])
        #expect(trial.last?.phase == (code == 0 ? .succeeded : .failed))
        #expect(trial.lines == [])
        let path = try #require(place.store.path(of: 0, named: "dist/a.txt", run: "r1"))
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test func `a run that is cancelled keeps its files in its last state`() async throws {
        let place = try Place()
        let trial = try await place.run(
            Self.file("echo a >a.txt; echo '::weir ready::'; sleep 600", "[a.txt]")
        ) { run, state in
            if state.name == "ready" { run.cancel(.caller) }
        }
        #expect(trial.last == .cancelledKept([Artifact(name: "a.txt", bytes: 2)]))
        #expect(place.contents(trial.last?.artifacts ?? []) == ["a.txt": "a\n"])
    }

    @Test func `a run whose program cannot be started keeps no files of earlier runs`() async throws {
        let place = try Place()
        try Data("old".utf8).write(to: place.work.appending(path: "a.txt"))
        let trial = try await place.run("title: T\ncommand: [./missing]\nartifacts: [a.txt]\n")
        #expect(trial.last?.phase == .failed)
        #expect(trial.last?.artifacts == [])
    }

    @Test func `links, pipes and folders are not kept, and the output says so of each`() async throws {
        let place = try Place()
        try Data("secret".utf8).write(to: place.folder.appending(path: "secret.txt"))
        let trial = try await place.run(
            Self.file(
                "ln -s ../secret.txt link.txt; mkfifo pipe.txt; mkdir folder.txt; ln -s .. out; echo a >a.txt",
                "[\"*.txt\", folder.txt, out/secret.txt, none.bin]"))
        #expect(place.contents(trial.last?.artifacts ?? []) == ["a.txt": "a\n"])
        let text = trial.lines.joined(separator: "\n")
        #expect(text.contains("“link.txt” is not kept: it is a link, and links are not followed."))
        #expect(text.contains("“pipe.txt” is not kept: it is a pipe, a socket or a device, and no file."))
        #expect(text.contains("“folder.txt” is a folder. To keep the files in it, write it with /** at the end."))
        #expect(text.contains("No file matches “out/secret.txt”, so none is kept."))
        #expect(text.contains("No file matches “none.bin”, so none is kept."))
    }

    @Test func `of too many files the first are kept, and the output says how many are not`() async throws {
        let place = try Place(.init(count: 3))
        let trial = try await place.run(
            Self.file("i=1000; while [ $i -lt 1050 ]; do : > $i.log; i=$((i+1)); done", "[\"*.log\"]"))
        #expect(trial.last?.artifacts.map(\.name) == ["1000.log", "1001.log", "1002.log"])
        #expect(
            trial.lines == [
                "notice: 47 more files match, and are not kept: a run keeps 3 (artifacts.maximum-count)."
            ])
    }

    @Test func `a file that is too large is not read, and smaller ones are kept`() async throws {
        let place = try Place(.init(bytes: ByteCount(clamping: 1_000)))
        let trial = try await place.run(
            Self.file("truncate -s 5G big.bin; printf 123 >small.bin", "[\"*.bin\"]"))
        #expect(place.contents(trial.last?.artifacts ?? []) == ["small.bin": "123"])
        #expect(
            trial.lines == [
                "notice: “big.bin” is not kept: with its 5 GiB, the run would keep more than 1 kB (artifacts.maximum-size)."
            ])
    }

    @Test func `hostile names become plain ones, and no name leads out of the store`() async throws {
        let place = try Place()
        let trial = try await place.run(
            Self.file(
                "printf a > \"$(printf 'a\\nb\\\\.txt')\"; printf b > \"$(printf '\\342\\200\\256c.txt')\"; printf c > \"$(printf '\\377.txt')\"",
                "[\"*.txt\"]"))
        #expect(Set(place.contents(trial.last?.artifacts ?? []).keys) == ["a_b_.txt", "c.txt", "\u{FFFD}.txt"])
        #expect(place.store.path(of: 0, named: "../../x", run: "../r") == nil)
        #expect(place.store.path(of: 0, named: "../..", run: "r1")?.hasSuffix("/r1/0/file") == true)
    }

    @Test func `a program names files below its folder itself if the operation keeps any`() async throws {
        let place = try Place()
        let script = "echo a >a.txt; echo \"::weir artifact path=$PWD/a.txt::\"; echo '::weir artifact path=../b.txt::'"
        let named = try await place.run(Self.file(script, "[]"))
        #expect(place.contents(named.last?.artifacts ?? []) == ["a.txt": "a\n"])
        #expect(named.lines.count == 1 && named.lines[0].contains("The program named “../b.txt” to be kept."))
        #expect(!named.names.contains("artifact"))
        let without = try await place.run("title: T\nshell: |\n  \(script)\n")
        #expect(without.last?.artifacts == [])
    }

    @Test(.enabled(if: getuid() == 0)) func `of a program with a user, only files that belong to that user are kept`()
        async throws
    {
        let place = try Place()
        let trial = try await place.run(
            Self.file("echo a >a.txt; echo b >b.txt; chown 65534 b.txt", "[\"*.txt\"]", "user: root\n"))
        #expect(place.contents(trial.last?.artifacts ?? []) == ["a.txt": "a\n"])
        #expect(
            trial.lines == [
                "notice: “b.txt” is not kept: it does not belong to “root”, the user that the program ran as."
            ])
    }

    @Test func `a secret in a name is masked`() async throws {
        let place = try Place()
        let text = Self.file(
            "printf a > \"$WEIR_INPUT_KEY.txt\"", "[\"*.txt\"]", "inputs: [{name: key, type: secret}]\n")
        let trial = try await FileTrial.run(
            text, ["key": "correct-horse-battery"], folder: place.work, artifacts: place.store)
        #expect(place.contents(trial.last?.artifacts ?? []) == ["•••.txt": "a"])
    }

    @Test func `states keep their files when they are written and read again`() throws {
        let artifacts = [Artifact(name: "a/b.txt", bytes: 7)]
        for state in [
            CommandState.stopping, .cancelled, .succeeded(StateDetails(show: "x")),
            .failed(problem: CommandProblem(message: "m")),
        ] {
            let kept = state.keeping(artifacts)
            #expect(kept.artifacts == artifacts)
            let read = try JSONDecoder().decode(CommandState.self, from: JSONEncoder().encode(kept))
            #expect(read == kept && read.name == state.name)
        }
        #expect(
            CommandState.failed(OperationTimeout(limit: .seconds(1)), from: .stoppingKept(artifacts)).artifacts
                == artifacts)
    }

    @Test func `files that were kept before the server became busy stay, and the others are counted`() async throws {
        let place = try Place(.init(count: 1_000))
        let names = (0..<500).map { "f\(1_000 + $0)" }
        for name in names { try Data("x".utf8).write(to: place.work.appending(path: name)) }
        let pool = WorkPool(threads: 1, room: 1)
        let keeper = ArtifactKeeper(
            place.store, run: "r1", folder: place.work.path, [try ArtifactPattern("f*")], user: nil, mask: .none,
            on: pool)
        keeper.begin()
        async let keeping = keeper.keep([])
        try await until { place.store.open(1, named: names[1], run: "r1") != nil }
        let crowd = (0..<4).map { _ in
            Task { while !Task.isCancelled { _ = try? await pool.run { Thread.sleep(forTimeInterval: 0.001) } } }
        }
        let (artifacts, remarks) = await keeping
        for task in crowd { task.cancel() }
        #expect((1..<names.count).contains(artifacts.count))
        #expect(artifacts.map(\.name) == Array(names.prefix(artifacts.count)))
        let rest = names.count - artifacts.count
        #expect(remarks.contains { $0.hasPrefix(rest == 1 ? "1 file is" : "\(rest) files are") }, "\(remarks)")
    }
}
