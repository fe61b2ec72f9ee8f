import Synchronization

/// Listens to what each template is given, instead of rendering it.
final class ShapeCollector: TemplateRendering {
    private let library: TemplateLibrary
    private let shapes = Mutex<[String: TemplateShape]>([:])

    init(_ library: TemplateLibrary) { self.library = library }

    /// What each template that was asked for could name, all times taken together.
    var collected: [String: TemplateShape] { shapes.withLock { $0 } }

    var covered: [TemplateProblem] { [TemplateProblem(file: "pages/x.mustache", line: 1, message: "x")] }

    func contains(_ name: String) -> Bool { library.contains(name) }

    func render(_ name: String, _ fields: Fields) -> String {
        let shape = TemplateShape(fields)
        shapes.withLock { shapes in shapes[name] = shapes[name]?.union(shape) ?? shape }
        return ""
    }
}
