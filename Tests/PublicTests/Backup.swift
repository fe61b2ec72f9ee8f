import Foundation
import Weir

/// An operation as a user of the library writes it: with a file, output, progress, and every kind of field.
struct Backup: OutputOperation {
    struct Input: OperationInput {
        var name: String
        var rate: Double
        var archive: FileInput?

        static var fields: [InputField] {
            [
                InputField(
                    "name", "Name", .text(maximumLength: 40, pattern: "[a-z]+"), required: true, default: "home",
                    help: "Names the backup."),
                InputField("rate", "Rate", InputField.Kind.number(0...100), default: 50, unit: "MB/s"),
                InputField("archive", "Archive", .file),
            ]
        }
    }

    enum State: OperationState {
        case waiting
        case copying(done: Int)
        case copied(bytes: Int)
        case stopped
        case failed(message: String)

        static var initial: State { .waiting }
        static func failed(_ error: any Error) -> State { .failed(message: error.explanation) }
        static func cancelled(from last: State) -> State { .stopped }
        static var samples: [State] {
            [.waiting, .copying(done: 1), .copied(bytes: 2), .stopped, .failed(message: "The disk is full.")]
        }

        var phase: Phase {
            switch self {
            case .waiting: .idle
            case .copying: .active
            case .copied: .succeeded
            case .stopped: .cancelled
            case .failed: .failed
            }
        }

        var progress: WorkProgress? {
            guard case .copying(let done) = self else { return nil }
            return WorkProgress(Int64(done), of: 2, unit: .bytes)
        }
    }

    struct DiskFull: ExplainedError {
        let description = "The disk is full. Delete something."
    }

    var inputFields: [InputField] { Input.fields }

    func perform(_ input: Input, state: MutableStateFlow<State>, output: OutputWriter) async throws {
        await output.write("Copying \(input.name)")
        output.offer("quickly", to: .standardError)
        var length = 0
        while let piece = try await input.archive?.content?.next() { length += piece.count }
        if input.name == "full" { throw DiskFull() }
        state.value = .copying(done: 1)
        state.value = .copied(bytes: length)
    }
}

/// The bytes of a file, in one piece.
actor OnePiece: FileContent {
    private var piece: Data?

    init(_ text: String) { piece = Data(text.utf8) }

    func next() async throws -> Data? {
        defer { piece = nil }
        return piece
    }
}

/// Keeps the lines that are printed.
final class Lines: OutputSink {
    let lines = MutableStateFlow<[String]>([])

    func write(_ line: String, to channel: OutputChannel) async { lines.mutate { $0.append(line) } }

    func offer(_ line: String, to channel: OutputChannel) -> Bool {
        lines.mutate { $0.append("\(channel.rawValue): \(line)") }
        return true
    }
}
