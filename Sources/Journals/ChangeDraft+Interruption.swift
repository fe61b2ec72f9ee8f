import States

extension ChangeDraft {
    /// The end of a run on which nobody works any more, after the last change that its record tells.
    public static func interruption(of run: RunRecord, at moment: Timestamp, cause: String) -> ChangeDraft {
        ChangeDraft(
            stream: .run(run.id), subject: run.operation, revision: run.revision + 1, at: moment,
            state: StateRecord(
                caseName: "interrupted", payload: ["last": .string(run.state.caseName)], phase: .interrupted),
            isTransition: true, cause: cause)
    }
}
