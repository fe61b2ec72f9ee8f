import Flows

/// Gives each run that prints its output, and shows in the feed what of it is recorded.
struct OutputDesk: Sendable {
    let world: RunOutput.World
    let feed: Feed

    /// The output of a run that is about to begin.
    func output(of run: String) -> RunOutput {
        RunOutput(run: run, world: world) { [feed] event in
            switch event {
            case .opened: feed.openOutput(of: run)
            case .recorded(let lines): feed.publish(lines, of: run)
            case .over: feed.closeOutput(of: run)
            }
        }
    }

    /// Gives up: nothing more is written.
    func stop() { world.scope.cancel() }
}
