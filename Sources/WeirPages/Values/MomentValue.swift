import Mustache
import WeirJournals

/// A moment as a template sees it; `partials/time` and `partials/since` make a `<time>` of it.
struct MomentValue: MustacheParent, MustacheCustomRenderable {
    let moment: Timestamp
    let format: LocaleFormat

    func child(named name: String) -> Any? {
        switch name {
        case "iso": CivilTime(moment).iso
        case "exact": format.exact(moment)
        case "clock": CivilTime(moment).clock
        case "ago": format.ago(moment)
        case "elapsed": format.elapsed(since: moment)
        default: nil
        }
    }

    var renderText: String { format.exact(moment) }
    var isNull: Bool { false }

    static let names: Set<String> = ["iso", "exact", "clock", "ago", "elapsed"]
}
