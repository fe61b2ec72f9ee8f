import Foundation
import Testing
import WeirFlows
import WeirOperations
import WeirStates

@Suite(.timeLimit(.minutes(15))) struct SimpleOperationTests {
    /// Copies files that are not there.
    struct Copy: SimpleOperation {
        struct Input: FormInput {
            var files = 2
            var missing = false
            static let fields = [InputField(\Self.files, "Files", .integer(0...100))]
        }

        func run(_ input: Input, report: RunReporter) async throws -> String {
            for number in 0..<input.files {
                report.progress(number, of: input.files, note: "file \(number)")
                await report.print("Copying file \(number)\nand its twin")
            }
            if input.missing { _ = try Data(contentsOf: URL(filePath: "/nowhere/at/all")) }
            if input.files == 0 { throw OperationFailure("There is nothing to copy. Choose another folder.") }
            return "Copied \(input.files) files."
        }
    }

    /// The states of a run that goes to its end.
    private func states<Work: StateOperation>(
        _ operation: Work, _ input: Work.Input, _ willBegin: (Run<Work.State>) -> Void = { _ in }
    ) async throws -> [Work.State] {
        let seen = Locked<[Work.State]>([])
        var subscription: FlowSubscription?
        let run = try OperationRunner(operation).start(input) { run in
            willBegin(run)
            subscription = run.state.subscribe(.lossless) { state in seen.withLock { $0.append(state) } }
        }
        _ = await run.outcome()
        subscription?.cancel()
        return seen.withLock { $0 }
    }

    @Test func `a body that reports and returns passes through waiting, working and succeeded`() async throws {
        #expect(
            try await states(Copy(), .init()) == [
                .waiting, .working(note: nil, progress: nil),
                .working(note: "file 0", progress: WorkProgress(0, of: 2)),
                .working(note: "file 1", progress: WorkProgress(1, of: 2)), .succeeded("Copied 2 files."),
            ])
    }

    @Test func `what it throws becomes a sentence for people, without paths`() async throws {
        #expect(
            try await states(Copy(), .init(files: 0)).last
                == .failed(message: "There is nothing to copy. Choose another folder."))
        let last = try await states(Copy(), .init(missing: true)).last
        guard case .failed(let message) = last else { throw last.map { Unexpected("\($0)") } ?? Unexpected("") }
        #expect(!message.contains("nowhere") && message.hasSuffix("."), "\(message)")
    }

    struct Unexpected: Error {
        let text: String
        init(_ text: String) { self.text = text }
    }

    @Test func `a note stays when only the progress is reported, and the progress when only a note is`() async throws {
        struct Noting: SimpleOperation {
            func run(_ input: NoInput, report: RunReporter) async throws -> NoResult {
                report.note("a")
                report.progress(1, of: nil)
                report.note("b")
                report.note(nil)
                report.progress(Int64.max, of: .max, unit: .bytes)
                return NoResult()
            }
        }
        let one = WorkProgress(1, of: nil)
        #expect(
            try await states(Noting(), NoInput()) == [
                .waiting, .working(note: nil, progress: nil), .working(note: "a", progress: nil),
                .working(note: "a", progress: one), .working(note: "b", progress: one),
                .working(note: nil, progress: one),
                .working(note: nil, progress: WorkProgress(Int64.max, of: .max, unit: .bytes)), .succeeded(NoResult()),
            ])
    }

    @Test func `reports from several tasks at a time lose neither note nor progress`() async throws {
        struct Busy: SimpleOperation {
            func run(_ input: NoInput, report: RunReporter) async throws -> Int {
                await withTaskGroup(of: Void.self) { group in
                    for number in 1...200 {
                        group.addTask { number.isMultiple(of: 2) ? report.note("n") : report.progress(number, of: 200) }
                    }
                }
                return 200
            }
        }
        let all = try await states(Busy(), NoInput())
        guard case .working(let note, let progress) = try #require(all.dropLast().last) else {
            throw Unexpected("no work")
        }
        #expect(note == "n" && progress != nil && all.last == .succeeded(200))
    }

    @Test func `a run that is cancelled ends at once, and reports nothing any more`() async throws {
        struct Endless: SimpleOperation {
            func run(_ input: NoInput, report: RunReporter) async throws -> NoResult {
                report.note("begun")
                while !Task.isCancelled { await Task.yield() }
                report.note("too late")
                return NoResult()
            }
        }
        let all = try await states(Endless(), NoInput()) { run in
            Task {
                _ = await run.state.first { $0.note == "begun" }
                run.cancel(.actor("a test"))
            }
        }
        #expect(
            all == [
                .waiting, .working(note: nil, progress: nil), .working(note: "begun", progress: nil), .cancelled,
            ])
    }

    struct Summary: OperationResult {
        var files: Int
        var names: [String]
        static let sample = Summary(files: 12, names: ["a"])
    }

    private func roundTrip<Result: OperationResult>(_ state: SimpleState<Result>) throws -> JSONValue {
        let record = try StateRecord(state)
        #expect(try record.state(as: SimpleState<Result>.self) == state)
        #expect(record.phase == state.phase && record.progress == state.progress)
        return [record.caseName: record.payload]
    }

    @Test func `states are recorded flat, with the members of a result in place of the result, and read again`() throws
    {
        #expect(try roundTrip(SimpleState<String>.waiting) == ["waiting": [:]])
        #expect(try roundTrip(SimpleState<String>.working(note: nil, progress: nil)) == ["working": [:]])
        #expect(
            try roundTrip(SimpleState<String>.working(note: "n", progress: WorkProgress(3, of: 10, unit: .bytes)))
                == ["working": ["note": "n", "completed": 3, "total": 10, "unit": "bytes"]])
        #expect(
            try roundTrip(SimpleState<String>.working(note: nil, progress: WorkProgress(3, of: nil)))
                == ["working": ["completed": 3, "unit": "items"]])
        #expect(try roundTrip(SimpleState.succeeded("s")) == ["succeeded": ["result": "s"]])
        #expect(try roundTrip(SimpleState.succeeded(7)) == ["succeeded": ["result": 7]])
        #expect(try roundTrip(SimpleState.succeeded([1, 2])) == ["succeeded": ["result": [1, 2]]])
        #expect(try roundTrip(SimpleState.succeeded(NoResult())) == ["succeeded": [:]])
        #expect(
            try roundTrip(SimpleState.succeeded(Summary.sample)) == ["succeeded": ["files": 12, "names": ["a"]]])
        #expect(try roundTrip(SimpleState<String>.failed(message: "m")) == ["failed": ["message": "m"]])
        #expect(try roundTrip(SimpleState<String>.cancelled) == ["cancelled": [:]])
    }

    @Test func `every case has a sample, which can be recorded and read again`() throws {
        for state in SimpleState<Summary>.samples { _ = try roundTrip(state) }
        let names = Set(try SimpleState<Summary>.samples.map { try StateRecord($0).caseName })
        #expect(names == ["waiting", "working", "succeeded", "failed", "cancelled"])
    }

    @Test(arguments: ["\"waiting\"", "{}", "{\"waiting\": {}, \"cancelled\": {}}", "{\"other\": {}}", "7"])
    func `what is no such state is refused`(text: String) throws {
        let value = try JSONValue(parsing: text)
        #expect(throws: DecodingError.self) { try value.decode(SimpleState<String>.self) }
    }
}
