import Weir

/// Counts down to a launch, a second at a time.
struct Countdown: StateOperation {
    struct Input: FormInput {
        var seconds = 10
        static let fields = [InputField(\Self.seconds, "Seconds", .integer(1...60), unit: "s")]
    }

    func perform(_ input: Input, state: MutableStateFlow<CountdownState>) async throws {
        for second in 0..<input.seconds {
            state.value = .counting(left: input.seconds - second, progress: WorkProgress(second, of: input.seconds))
            try await Task.sleep(for: .seconds(1))
        }
        state.value = .succeeded
    }
}
