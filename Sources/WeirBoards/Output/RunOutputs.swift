import WeirFlows

/// Creates the output of each run that prints, and publishes in the feed what of it is recorded.
struct RunOutputs: Sendable {
    let environment: RunOutput.Environment
    let feed: Feed

    /// The output of a run that is about to begin.
    func output(of run: String) -> RunOutput {
        RunOutput(run: run, environment: environment) { [feed] event in
            switch event {
            case .opened: feed.openOutput(of: run)
            case .recorded(let lines): feed.publish(lines, of: run)
            case .over: feed.closeOutput(of: run)
            }
        }
    }

    /// Gives up: nothing more is written.
    func stop() { environment.scope.cancel() }
}
