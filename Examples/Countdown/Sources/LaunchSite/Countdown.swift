import Flows
import Operations
import States

/// Counts down to a launch, a second at a time.
struct Countdown: StateOperation {
    struct Input: OperationInput {
        let seconds: Int
        static var fields: [InputField] {
            [InputField("seconds", "Seconds", .integer(1...60), required: true, default: 10, unit: "s")]
        }
    }

    func perform(_ input: Input, state: MutableStateFlow<CountdownState>) async throws {
        for left in stride(from: input.seconds, to: 0, by: -1) {
            state.value = .counting(left: left, of: input.seconds)
            try await Task.sleep(for: .seconds(1))
        }
        state.value = .launched
    }
}
