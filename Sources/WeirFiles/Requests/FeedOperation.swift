package import WeirFlows
import WeirOperations
package import WeirStandard
import WeirStates

/// Polls the declared JSON URL during the run and shows the values of its responses.
///
/// Meant for `Lifetime.whileWatched`. It never ends on its own: a failure is a state, and is retried with a backoff of up to a
/// minute, or up to the feed's interval if that is longer.
package struct FeedOperation: StateOperation, DeclaredStates {
    private let feed: DeclaredFeed
    private let environment: OperationEnvironment

    /// Creates an operation from a definition, or returns nil if it declares no feed.
    package init?(_ definition: OperationDefinition, in environment: OperationEnvironment) {
        guard case .feed(let feed) = definition.program else { return nil }
        self.feed = feed
        self.environment = environment
    }

    package var stateSamples: [CommandState] {
        let values = Dictionary(feed.values.map { ($0.name, JSONValue.string($0.name)) }) { $1 }
        let show = feed.show?.filled { $0 }
        return [
            .waiting, .active("asking", StateDetails()), .active("following", StateDetails(show: show, values: values)),
            .active("failing", StateDetails(show: "The server answered 404 Not Found.", values: values)), .cancelled,
        ]
    }

    package var stateDetours: Set<String> { ["failing"] }

    /// Polls until the task is cancelled.
    package func perform(_ input: CommandInput, state: MutableStateFlow<CommandState>) async throws {
        let request = OutgoingRequest("GET", feed.url, timeout: min(feed.every, .seconds(30)), environment: environment)
        let backoff = Backoff(base: feed.every, maximum: max(feed.every, .seconds(60)))
        var failures = 0
        var last: [String: JSONValue] = [:]
        state.value = .active("asking", StateDetails())
        while true {
            let pause: Duration
            do {
                last = try await ask(request)
                state.value = .active(
                    "following", StateDetails(show: feed.show?.filled { last[$0]?.shown ?? "" }, values: last))
                (failures, pause) = (0, feed.every)
            } catch let failure as HTTPFailure {
                failures += 1
                pause = backoff.delay(afterFailures: failures, random: environment.random())
                state.value = .active("failing", StateDetails(show: failure.description, values: last))
            }
            try await environment.clock.sleep(for: pause)
        }
    }

    private func ask(_ request: OutgoingRequest) async throws -> [String: JSONValue] {
        let answer = try await request.send(output: .discarding) { _ in }
        guard (200..<300).contains(answer.status) else {
            throw HTTPFailure.unexpectedStatus(answer.status, reason: answer.reason, expected: nil)
        }
        let read = try await WorkPool.answers.run { [values = feed.values] in values.read(from: try JSONValue(answer)) }
        guard let missing = read.missing.first else { return read.values }
        throw HTTPFailure.notUnderstood(
            reason: "it has no value at \(missing). Correct the path in the file, or wait until the value is there.")
    }
}

extension LocalizedText {
    static let stepsOfRequests = [
        "connecting": LocalizedText(en: "Connecting", ptBR: "Conectando", es: "Conectando"),
        "sending": LocalizedText(
            en: "Waiting for the answer", ptBR: "Aguardando a resposta", es: "Esperando la respuesta"),
        "receiving": LocalizedText(en: "Receiving", ptBR: "Recebendo", es: "Recibiendo"),
    ]

    static let statesOfFeeds = [
        "asking": LocalizedText(en: "Asking", ptBR: "Consultando", es: "Consultando"),
        "following": LocalizedText(en: "Following", ptBR: "Acompanhando", es: "Siguiendo"),
        "failing": LocalizedText(en: "No current values", ptBR: "Sem valores atuais", es: "Sin valores actuales"),
    ]
}
