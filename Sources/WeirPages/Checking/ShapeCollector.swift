import Synchronization

/// Records what each template is given, instead of rendering it.
final class ShapeCollector: TemplateRendering {
    private struct State {
        /// The shape of each name, by template.
        ///
        /// A default template is given the names of all payloads: merged in place, since a copy for each operation costs the
        /// square of their number.
        var members: [String: [String: TemplateShape]] = [:]
        var renderings = 0
    }

    private let library: TemplateLibrary
    private let state = Mutex(State())

    init(_ library: TemplateLibrary) { self.library = library }

    /// What each template that was asked for could name, over all renderings.
    var collected: [String: TemplateShape] {
        state.withLock { state in state.members.mapValues { .record($0, transforms: []) } }
    }

    /// How many renderings there were.
    var renderings: Int { state.withLock { $0.renderings } }

    var covered: [TemplateProblem] { [TemplateProblem(file: "pages/x.mustache", line: 1, message: "x")] }

    func contains(_ name: String) -> Bool { library.contains(name) }

    func render(_ name: String, _ fields: Fields) -> String {
        let members = TemplateShape.members(of: fields)
        state.withLock { state in
            state.renderings += 1
            state.members[name, default: [:]].merge(members) { $0.union($1) }
        }
        return ""
    }
}
