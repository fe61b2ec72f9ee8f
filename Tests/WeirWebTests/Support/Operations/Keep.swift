import Foundation
import WeirFlows
import WeirOperations
import WeirStates

/// An operation that reads a file to its end and keeps its length and a checksum.
struct Keep: StateOperation {
    struct Input: OperationInput {
        var file: FileInput
        var destination: String?

        static var fields: [InputField] {
            [
                InputField("file", "File", .file, required: true),
                InputField("destination", "Destination", .text(maximumLength: 20)),
            ]
        }
    }

    enum State: OperationState {
        case waiting
        case receiving(bytes: Int64)
        case kept(filename: String, destination: String, bytes: Int64, sum: UInt32)
        case stopped
        case broken(message: String)

        static var initial: Self { .waiting }
        static func failed(_ error: any Error) -> Self { .broken(message: "\(error)") }
        static func cancelled(from last: Self) -> Self { .stopped }
        static var samples: [Self] { [.waiting, .receiving(bytes: 1), .stopped, .broken(message: "b")] }

        var phase: Phase {
            switch self {
            case .waiting: .idle
            case .receiving: .active
            case .kept: .succeeded
            case .stopped: .cancelled
            case .broken: .failed
            }
        }
    }

    /// Passed before the first byte is read, where a test wants to be in between.
    var gate: Gate?
    /// Fields beside those that are read.
    var more: [InputField] = []

    var inputFields: [InputField] { Input.fields + more }

    func perform(_ input: Input, state: MutableStateFlow<State>) async throws {
        var bytes: Int64 = 0
        var sum: UInt32 = 0
        state.value = .receiving(bytes: 0)
        if let gate { _ = try await gate.pass() }
        while let piece = try await input.file.content?.next() {
            bytes += Int64(piece.count)
            for byte in piece { sum = sum &* 31 &+ UInt32(byte) }
            state.value = .receiving(bytes: bytes)
        }
        state.value = .kept(
            filename: input.file.filename, destination: input.destination ?? "", bytes: bytes, sum: sum)
    }
}
