import Foundation
import TestSupport
import Testing
import WeirFlows
import WeirOperations
import WeirStates

@testable import WeirStandard

@Suite(.timeLimit(.minutes(15)))
struct FileUploadTests {
    private let folder: Folder
    private var destination: LocalDirectoryDestination {
        LocalDirectoryDestination(name: "archive", directory: folder.path + "/archive")
    }

    init() throws { folder = try Folder() }

    private func upload(
        _ destination: any UploadDestination, maximumSize: Int64 = 1 << 40, now: Date = Date(timeIntervalSince1970: 0)
    ) -> FileUpload {
        FileUpload(
            .init(spool: folder.path + "/spool", destinations: [destination], maximumSize: maximumSize),
            environment: OperationEnvironment(clock: ManualClock(), now: { now }))
    }

    private func input(_ content: (any FileContent)?, _ name: String = "a.txt", length: Int64? = nil) -> FileUploadInput
    {
        FileUploadInput(file: FileInput(id: "abc-1", filename: name, length: length, content: content))
    }

    private func message(_ state: FileUploadState?) -> String? {
        guard case .error(let message, _, _) = state else { return nil }
        return message
    }

    // G7
    @Test func `all phases are seen in order, with progress, and the file lies whole at its destination`() async throws
    {
        let run = try Watched(upload(destination), input(GeneratedContent(600_000), length: 600_000))
        let states = await run.states()
        let stored = try folder.read("archive/a.txt.gz").count
        var steps: [FileUploadStep] = []
        for step in states.compactMap(\.step) where steps.last != step { steps.append(step) }
        #expect(steps == [.receiving, .compressing, .openingSession, .uploading, .closingSession])
        #expect(
            states.last
                == .success(
                    filename: "a.txt", destination: "archive", location: "archive/a.txt.gz", originalSize: 600_000,
                    storedSize: Int64(stored),
                    sha256: "c1d45e17598f63262c7a3e99091537b37d59a929d6dda682161179dff7739f70",
                    parts: (stored + 262_143) / 262_144, milliseconds: 0))
        for step in [FileUploadStep.receiving, .compressing, .uploading] {
            let progress = states.filter { $0.step == step }.compactMap { $0.progress?.completed }
            #expect(progress == progress.sorted() && progress.first == 0 && (progress.last ?? 0) > 0)
        }
        #expect(try gunzip(folder.path + "/archive/a.txt.gz") == whole(600_000))
        #expect(folder.files == ["archive/a.txt.gz"])
    }

    private func whole(_ count: Int) -> Data {
        let piece = GeneratedContent.noise(65_536)
        return (0...count / 65_536).reduce(into: Data()) { data, _ in data.append(piece) }.prefix(count)
    }

    @Test func `what a system says is told as a full disk, a permission or a failure, and nothing else`() {
        #expect(FileUploadFailure.ofFoundation(CocoaError(.fileWriteOutOfSpace)) == .diskFull)
        #expect(FileUploadFailure.ofFoundation(CocoaError(.fileWriteNoPermission)) == .forbidden)
        #expect(FileUploadFailure.ofFoundation(CocoaError(.fileReadNoPermission)) == .forbidden)
        let other = FileUploadFailure.fileSystem(reason: "its folder cannot be used")
        #expect(FileUploadFailure.ofFoundation(CocoaError(.fileNoSuchFile)) == other)
        #expect(FileUploadFailure.ofFoundation(Unexpected()) == other)
    }

    @Test func `a session that is given up closes its file and leaves nothing`() async throws {
        let file = try OutputFile(path: folder.path + "/.weir-upload-1.part")
        let session = LocalDirectorySession(
            file: file, directory: folder.path, destination: "archive", name: SafeFilename("a.txt"))
        try await session.part(1, Data("abc".utf8))
        await session.abort()
        #expect(folder.files.isEmpty)
        #expect(throws: FileUploadFailure.self, "the file is still open") { try file.write(Data("d".utf8)) }
        withExtendedLifetime(session) {}
    }

    @Test func `an empty file is a file`() async throws {
        let run = try Watched(upload(destination), input(GeneratedContent(0)))
        guard case .success(_, _, _, 0, _, let hash, 1, _)? = await run.states().last else { throw Unexpected() }
        #expect(hash == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        #expect(try gunzip(folder.path + "/archive/a.txt.gz").isEmpty)
    }

    @Test func `no file is replaced: the second of a name gets a number`() async throws {
        for _ in 1...2 { _ = await (try Watched(upload(destination), input(GeneratedContent(10)))).states() }
        #expect(folder.files == ["archive/a (2).txt.gz", "archive/a.txt.gz"])
    }

    // G7
    @Test(arguments: [
        FileUploadStep.receiving, .compressing, .openingSession, .uploading, .closingSession,
    ])
    func `cancelling in any phase cleans up what the phases made`(step: FileUploadStep) async throws {
        let box = Locked<(@Sendable () -> Void)?>(nil)
        let cancel: @Sendable (FileUploadState) -> Void = { state in
            guard state.step == step else { return }
            let action = box.withLock { $0 }
            action?()
        }
        // The first piece waits until the run is at hand, so that any phase can cancel it.
        let isReady = MutableStateFlow(false)
        let content = GeneratedContent(2_000_000) { _ in _ = await isReady.first { $0 } }
        let run = try Watched(upload(destination), input(content), onState: cancel)
        box.withLock { $0 = { [run = run.run] in run.cancel(.actor("the test")) } }
        isReady.value = true
        #expect(await run.states().last == .cancelled(during: step))
        #expect(folder.files == [])
    }

    // G7
    @Test(arguments: ["open", "part 1", "close"])
    func `a destination that is cancelled amid its work is spoken to once more, to abort`(event: String) async throws {
        let box = Locked<(@Sendable () -> Void)?>(nil)
        let gated = GatedDestination { now in
            guard now == event else { return }
            let action = box.withLock { $0 }
            action?()
            try Task.checkCancellation()
        }
        let isReady = MutableStateFlow(false)
        let content = GeneratedContent(1_000) { _ in _ = await isReady.first { $0 } }
        let run = try Watched(upload(gated), input(content))
        box.withLock { $0 = { [run = run.run] in run.cancel(.actor("the test")) } }
        isReady.value = true
        _ = await run.states()
        #expect(gated.log.value.last == (event == "open" ? "open" : "abort"))
        #expect(folder.files == [])
    }

    @Test func `a run that failed keeps the file, and a retry works without sending it again`() async throws {
        let isBroken = Locked(true)
        let gated = GatedDestination { event in
            if event == "part 1", isBroken.withLock({ $0 }) { throw FileUploadFailure.diskFull }
        }
        let first = try Watched(upload(gated), input(GeneratedContent(1_000)))
        #expect(
            await first.states().last
                == .error(message: "The disk is full. Free some space, then retry.", during: .uploading, canRetry: true)
        )
        #expect(gated.log.value == ["open", "part 1", "abort"])
        #expect(folder.files == ["spool/abc-1.original"])
        isBroken.withLock { $0 = false }
        let second = try Watched(upload(gated), input(nil))
        let states = await second.states()
        #expect(states.last?.phase == .succeeded)
        #expect(!states.contains { $0.step == .receiving })
        #expect(folder.files == [])
    }

    @Test func `after an error that nobody knows no retry is offered, as nobody knows whether the file is there`() {
        struct Unknown: Error {}
        guard case .error(_, let step, let canRetry) = FileUploadState.failed(Unknown()) else {
            Issue.record("It is not an error.")
            return
        }
        #expect(step == .receiving && !canRetry)
    }

    @Test func `a retry of a file that is gone says to send it again`() async throws {
        let run = try Watched(upload(destination), input(nil))
        #expect(
            await run.states().last
                == .error(
                    message: "The file is no longer kept here. Send it again.", during: .receiving, canRetry: false))
    }

    @Test func `what has arrived is said anew for every 64 KiB`() async throws {
        let run = try Watched(upload(destination), input(GeneratedContent(200_000), length: 200_000))
        let arrived = await run.states().compactMap { state in
            if case .receiving(_, let bytes, _) = state { bytes } else { nil }
        }
        #expect(arrived == [0, 65_536, 131_072, 196_608, 200_000])
    }

    @Test func `a sender that stops half way leaves nothing behind`() async throws {
        let content = GeneratedContent(500_000) { if $0 == 3 { throw Unexpected() } }
        let run = try Watched(upload(destination), input(content, length: 500_000))
        #expect(message(await run.states().last)?.hasPrefix("The file did not arrive completely") == true)
        let explained = GeneratedContent(500_000) { if $0 == 3 { throw Explained() } }
        let told = try Watched(upload(destination), input(explained, length: 500_000))
        #expect(message(await told.states().last) == "Your rights are gone.")
        let short = try Watched(upload(destination), input(GeneratedContent(10), length: 11))
        #expect(message(await short.states().last)?.hasPrefix("The file did not arrive completely") == true)
        #expect(folder.files == [])
    }

    @Test func `a file larger than is taken is refused while it arrives`() async throws {
        let run = try Watched(upload(destination, maximumSize: 100_000), input(GeneratedContent(1 << 40)))
        #expect(message(await run.states().last)?.contains("larger than the limit of 100000 bytes") == true)
        #expect(folder.files == [])
    }

    @Test(arguments: ["../../etc/passwd", "a/b", "", "a.b", String(repeating: "a", count: 65)])
    func `an id that could lead elsewhere is refused`(id: String) async throws {
        let file = FileInput(id: id, filename: "a", content: GeneratedContent(10))
        let run = try Watched(upload(destination), FileUploadInput(file: file))
        #expect(message(await run.states().last) == "The file was described wrongly. Send it again.")
        #expect(folder.files == [])
    }

    @Test func `a destination that is not there is refused before a byte is taken`() async throws {
        let file = FileInput(id: "x", filename: "a", content: GeneratedContent(10))
        let run = try Watched(upload(destination), FileUploadInput(file: file, destination: "<moon>"))
        #expect(message(await run.states().last)?.contains("no destination named <moon>") == true)
    }

    @Test func `a full disk is told in words`() throws {
        let file = try OutputFile(path: "/dev/full", flags: 0)
        #expect(throws: FileUploadFailure.diskFull) { try file.write(Data("x".utf8)) }
    }

    @Test func `what a crash left is removed at start, but not what a retry may need`() async throws {
        for name in [
            "spool/a.1.part", "spool/a.1.gz", "spool/a.original", "archive/.weir-upload-1.part", "archive/b.gz",
        ] {
            try folder.write(name)
        }
        try await upload(destination, now: Date()).removeLeftovers()
        #expect(folder.files == ["archive/b.gz", "spool/a.original"])
        try await upload(destination, now: Date(timeIntervalSinceNow: 8 * 86_400)).removeLeftovers()
        #expect(folder.files == ["archive/b.gz"])
    }

    @Test func `destinations are offered where there is a choice`() {
        #expect(upload(destination).inputFields.map(\.name) == ["file"])
        let two = FileUpload(.init(spool: "", destinations: [destination, GatedDestination()]))
        #expect(two.inputFields.last?.kind == .choice(["archive", "gated"]))
        #expect(two.inputFields.last?.defaultValue == "archive")
    }

    @Test func `a large file passes through in little memory`() async {
        // In a process of its own, because its memory is that of all its tests.
        await #expect(processExitsWith: .success) {
            let tests = try FileUploadTests()
            let before = try #require(residentMemory())
            let peak = Locked(before)
            let subscription = Locked<FlowSubscription?>(nil)
            let upload = tests.upload(tests.destination)
            let run = try OperationRunner(upload).start(tests.input(GeneratedContent(256 << 20))) { run in
                let watching = run.state.values(.lossless).subscribe { _ in
                    let now = residentMemory() ?? 0
                    peak.withLock { $0 = max($0, now) }
                }
                subscription.withLock { $0 = watching }
            }
            guard case .succeeded = await run.outcome() else { throw Unexpected() }
            let growth = peak.withLock { $0 } - before
            #expect(growth < 64 << 20)
        }
    }
}

private struct Explained: ExplainedError {
    let description = "Your rights are gone."
}
