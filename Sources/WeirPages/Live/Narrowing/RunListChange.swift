import WeirBoards

/// The part of a list of runs in which two versions of it differ.
///
/// What is the same object in both is left out, so that nobody renders it to find out that it looks the same. The
/// neighbours of what is new stay, because they say where it belongs.
struct RunListChange {
    /// What is left of the list as it was.
    let before: [RunView]
    /// What is left of the list as it is.
    let after: [RunView]

    /// Two versions as they are, with nothing left out.
    init(before: [RunView], after: [RunView]) {
        self.before = before
        self.after = after
    }

    init(from old: some Sequence<RunView>, to new: some Sequence<RunView>) {
        let (old, new) = (Array(old), Array(new))
        let common = Set(old.map(ObjectIdentifier.init)).intersection(new.map(ObjectIdentifier.init))
        let isSame = new.map { common.contains(ObjectIdentifier($0)) }
        let neighbours = zip([false] + isSame.map { !$0 }, isSame.dropFirst().map { !$0 } + [false])
        let kept = zip(new, neighbours).filter { $1.0 || $1.1 }.map { ObjectIdentifier($0.0) }
        let dropped = common.subtracting(kept)
        let isLeft = { (run: RunView) in !dropped.contains(ObjectIdentifier(run)) }
        before = old.filter(isLeft)
        after = new.filter(isLeft)
    }
}
