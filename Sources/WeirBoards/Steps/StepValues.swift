import WeirJournals
import WeirOperations
import WeirStates

/// Makes the inputs of steps: of what the whole run was started with, and of what earlier steps reported.
struct StepValues: Sendable {
    let input: [String: JSONValue]
    let fields: [InputField]
    let host: StepsHost

    /// The input of a step.
    ///
    /// An input that was not given is left out with its field. Throws what cannot be had.
    func input(
        _ values: [String: StepValue], after progress: StepsProgress
    ) async throws(StepRefusal) -> [String: JSONValue] {
        let reported = await reported(to: Array(values.values), progress)
        var filled: [String: JSONValue] = [:]
        for (name, value) in values {
            do throws(StepValue.Missing) {
                filled[name] = try value.filled(input: input, reported: reported)
            } catch {
                switch error {
                case .input(let name):
                    guard host.isResumed, fields.contains(where: { $0.name == name && $0.isSecret }) else { continue }
                    throw StepRefusal(
                        .noValue,
                        "The secret “\(name)” is not kept over a restart of the server. Start the operation again.")
                case .reported(let step, let value):
                    throw StepRefusal(.noValue, "The step “\(step)” reported no value “\(value)”.")
                }
            }
        }
        return filled
    }

    /// A text for a person, in which what is not known is left out.
    func text(_ value: StepValue, after progress: StepsProgress) async -> String {
        let reported = await reported(to: [value], progress)
        return value.parts.map { part in
            let secret =
                if case .input(let name) = part { fields.contains { $0.name == name && $0.isSecret } } else { false }
            guard !secret, let filled = try? StepValue([.text(""), part]).filled(input: input, reported: reported)
            else {
                return ""
            }
            return filled.string ?? ""
        }.joined()
    }

    /// What the steps that these values name had in the end.
    private func reported(
        to values: [StepValue], _ progress: StepsProgress
    ) async -> [String: [String: JSONValue]] {
        let names = values.flatMap(\.parts).compactMap { part -> String? in
            guard case .reported(let step, _) = part else { return nil }
            return step
        }
        var reported: [String: [String: JSONValue]] = [:]
        for step in progress.steps where names.contains(step.name) && step.status == .succeeded {
            guard let run = step.run, let payload = await host.record(of: run)?.state.payload.object else { continue }
            let own = payload.filter { Self.isScalar($0.value) }
            reported[step.name] = own.merging(payload["values"]?.object ?? [:]) { $1 }
        }
        return reported
    }

    private static func isScalar(_ value: JSONValue) -> Bool {
        switch value {
        case .string, .bool, .integer, .number: true
        case .null, .array, .object: false
        }
    }
}

/// Why a step's run did not begin.
struct StepRefusal: Error {
    let kind: StepsProgress.Ending.Kind
    let detail: String
    /// Whether the server ends, and the next one continues.
    var isShutdown = false

    init(_ kind: StepsProgress.Ending.Kind, _ detail: String) { (self.kind, self.detail) = (kind, detail) }

    init(_ error: BoardError) {
        kind = .notStarted
        isShutdown = error.code == .shuttingDown
        detail = ([error.description] + error.fields.map { "\($0.field): \($0.detail)" }).joined(separator: " ")
    }

    func ending(of step: String) -> StepsProgress.Ending { .init(kind, step: step, detail: detail) }
}
