/// States some of which are off the way from start to end, such as the wait before another attempt.
///
/// Pages list the active cases of an operation as steps; a case off the way is listed only in runs that came to it.
package protocol DetouringState {
    /// The names of the cases that only some runs pass through.
    static var detours: Set<String> { get }
}
