/// How much of what a store does a test has to state.
public enum Exhaustivity: Sendable, Hashable {
    /// All of it: each change, each action that work sends, each effect, and that no work goes on at the end.
    case on
    /// What it cares for; the rest is told in ``TestStore/skipped`` and, if asked for, printed.
    case off(showSkipped: Bool)
}
