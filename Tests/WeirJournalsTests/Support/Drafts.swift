import WeirJournals
import WeirStates

extension Timestamp {
    /// A moment of the tests' day, so many milliseconds after it began.
    static func test(_ milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: 1_795_219_200_000 + milliseconds) }
}

extension ChangeDraft {
    /// The first change of a run.
    static func opening(
        _ run: String, operation: String = "upload", at: Int64 = 0, actor: String = "anna",
        input: JSONValue = ["file": "photo.jpg"], key: String? = nil, retryOf: String? = nil, phase: Phase = .active,
        expected: RunEstimate? = nil
    ) -> ChangeDraft {
        ChangeDraft(
            stream: .run(run), subject: operation, revision: 0, at: .test(at),
            state: StateRecord(caseName: "receiving", phase: phase), isTransition: true, cause: nil,
            opening: RunOpening(actor: actor, input: input, retryOf: retryOf, idempotencyKey: key, expected: expected))
    }

    /// A later change of a run.
    static func step(
        _ run: String, _ revision: Int64, operation: String = "upload", at: Int64 = 0, phase: Phase = .active,
        payload: JSONValue = [:], cause: String? = nil, progress: WorkProgress? = nil, isTransition: Bool = true
    ) -> ChangeDraft {
        ChangeDraft(
            stream: .run(run), subject: operation, revision: revision, at: .test(at),
            state: StateRecord(caseName: phase.rawValue, payload: payload, phase: phase, progress: progress),
            isTransition: isTransition, cause: cause)
    }

    /// A change of a store.
    static func store(
        _ id: String, _ revision: Int64, payload: JSONValue = [:], step: StoreStep? = StoreStep(.reset)
    ) -> ChangeDraft {
        ChangeDraft(
            stream: .store(id), subject: id, revision: revision, at: .test(0),
            state: StateRecord(caseName: "value", payload: payload, phase: .active), isTransition: true,
            step: step)
    }
}

/// The code of the journal error that `body` throws; nil if it throws none.
func code<Result>(_ body: () async throws -> Result) async throws -> JournalError.Code? {
    do {
        _ = try await body()
        return nil
    } catch let error as JournalError {
        return error.code
    }
}
