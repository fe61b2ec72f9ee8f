public import WeirOperations
public import WeirStates

/// What a step's program does in a ``TestGraph``.
public struct StepOutcome: Sendable {
    indirect enum Kind: Sendable {
        case succeeds([String: JSONValue])
        case fails(String, exitCode: Int)
        case waits
        case depends(@Sendable (JSONValue) -> StepOutcome)
    }

    let kind: Kind

    /// Succeeds with these values, which later steps can use; `output` is the printed text.
    public static func succeeds(_ values: [String: JSONValue] = [:]) -> StepOutcome {
        StepOutcome(kind: .succeeds(values))
    }

    /// Succeeds with a result.
    ///
    /// - Throws: `EncodingError` for a result that cannot be recorded.
    public static func succeeds(with result: some OperationResult) throws -> StepOutcome {
        let value = try JSONValue(encoding: result)
        return succeeds(value.object ?? ["result": value])
    }

    /// Fails with a message and an exit code.
    public static func fails(_ message: String = "It failed.", exitCode: Int = 1) -> StepOutcome {
        StepOutcome(kind: .fails(message, exitCode: exitCode))
    }

    /// Works until ``TestGraph/finish(_:_:)``, a timeout or a cancellation ends it.
    public static let waits = StepOutcome(kind: .waits)

    /// Does what a closure returns for the run's input, such as for each item of a list.
    public static func depends(on input: @escaping @Sendable (JSONValue) -> StepOutcome) -> StepOutcome {
        StepOutcome(kind: .depends(input))
    }
}
