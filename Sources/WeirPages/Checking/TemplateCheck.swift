import Synchronization
import WeirAccess
import WeirBoards
import WeirStates

/// Finds the problems of templates and strings without a browser.
struct TemplateCheck {
    let catalog: Catalog
    let set: TemplateSet
    let library: TemplateLibrary
    let tables: StringTables

    /// The problems, sorted by file and line, without duplicates.
    ///
    /// - Parameters:
    ///   - rendersSamples: Whether to hold the members and strings that templates use against samples of every page.
    ///   - checkpoint: Called between operations and between templates.
    /// - Returns: The problems.
    /// - Throws: The error of the checkpoint, which ends the check.
    func problems<Failure: Error>(
        rendersSamples: Bool, _ checkpoint: () throws(Failure) -> Void
    ) throws(Failure) -> [TemplateProblem] {
        let declared = library.problems + tables.problems + cases() + declarations()
        guard rendersSamples else { return Set(declared).sorted() }
        let strings = StringPlaces(set.tables, tables: tables)
        var walk = TemplateWalk(tags: library.tags, strings: strings)
        for (template, shape) in try shapes(checkpoint).collected.sorted(by: { $0.key < $1.key }) {
            try checkpoint()
            walk.walk(template, shape)
        }
        return walk.problems.union(declared).union(strings.problems).sorted()
    }

    /// Renders every page from samples, and records the members that each template receives.
    ///
    /// - Parameters:
    ///   - isWhole: Whether to render the pages of every operation, including those without new traits.
    ///   - checkpoint: Called between operations.
    /// - Returns: The recorded members, by template.
    /// - Throws: The error of the checkpoint, which ends the rendering.
    func shapes<Failure: Error>(
        isWhole: Bool = false, _ checkpoint: () throws(Failure) -> Void
    ) throws(Failure) -> ShapeCollector {
        let collector = ShapeCollector(library)
        let strings = tables[.english]
        let writer = PageWriter(
            catalog: catalog, library: collector, locale: .english, locales: tables.locales, strings: strings,
            format: LocaleFormat(strings.optional), base: "", assets: "", permissions: .everything,
            offersLinks: true, steps: StepCache(), stepMarkup: StepMarkup())
        try CheckScenario(writer: writer, isWhole: isWhole).render(checkpoint)
        return collector
    }

    /// Finds templates of cases without a sample, and missing templates of cases whose siblings have one.
    private func cases() -> [TemplateProblem] {
        operationCases() + storeCases()
    }

    private func storeCases() -> [TemplateProblem] {
        let own = set.files.keys.sorted().map { (file: $0, parts: $0.split(separator: "/").map(String.init)) }
            .filter { $0.parts.count == 3 && $0.parts[0] == "stores" && $0.parts[1] != "default" }
        let cases = Dictionary(catalog.stores.map { ($0.kind, Set($0.samples.map(\.caseName))) }) { $0.union($1) }
        let unknown = own.compactMap { file, parts -> TemplateProblem? in
            guard let known = cases[parts[1]] else {
                guard set.own.contains(file) else { return nil }
                return TemplateProblem(file: file, line: 0, message: "there is no store \(parts[1])")
            }
            let name = TemplateLibrary.name(of: parts[2])
            guard !known.contains(name) else { return nil }
            return TemplateProblem(file: file, line: 0, message: "no sample of \(parts[1]) is in the case \(name)")
        }
        let missing = cases.filter { kind, _ in own.contains { $0.parts[1] == kind } }.flatMap { kind, names in
            names.map { "stores/\(kind)/\($0).mustache" }.filter { set.files[$0] == nil }
                .map { TemplateProblem(file: $0, line: 0, message: "this case has no template, unlike its neighbours") }
        }
        return unknown + missing
    }

    private func operationCases() -> [TemplateProblem] {
        let parts = set.files.keys.sorted().map { (file: $0, parts: $0.split(separator: "/").map(String.init)) }
        let files = parts.filter { $0.parts.count == 3 && $0.parts[0] == "operations" && $0.parts[1] != "default" }
        var problems: [TemplateProblem] = []
        var unknown: Set<String> = []
        for (file, parts) in files {
            guard let entry = catalog[parts[1]] else {
                if set.own.contains(file) { unknown.insert(parts[1]) }
                continue
            }
            let name = TemplateLibrary.name(of: parts[2])
            guard name != "interrupted", !entry.samples.contains(where: { $0.caseName == name }) else { continue }
            problems.append(
                TemplateProblem(file: file, line: 0, message: "no sample of \(entry.id) is in the case \(name)"))
        }
        for id in unknown {
            problems.append(
                TemplateProblem(
                    file: "operations/\(id)", line: 0,
                    message:
                        "there is no operation \(id) here. Correct the folder's name, or check these templates where "
                        + "the operation is: in its app's log, or by templateProblems(in:templates:) in a test"))
        }
        let folders = Set(files.map { $0.parts[1] })
        for entry in catalog.entries where entry.sharedTemplates == nil && folders.contains(entry.id) {
            for name in Set(entry.samples.map(\.caseName)) {
                let file = "operations/\(entry.id)/\(name).mustache"
                guard set.files[file] == nil else { continue }
                problems.append(
                    TemplateProblem(
                        file: file, line: 0, message: "the case \(name) has no template, unlike its neighbours"))
            }
        }
        return problems
    }

    private func declarations() -> [TemplateProblem] {
        let stores = catalog.stores.flatMap { entry in
            entry.problems.map { TemplateProblem(file: "stores/\(entry.id)", line: 0, message: $0) }
        }
        return stores
            + catalog.entries.flatMap { entry -> [TemplateProblem] in
                let taken = ["t", "base", "run", "operation"]
                let members = Set(entry.samples.flatMap { ($0.payload.object ?? [:]).keys })
                let clashes = taken.filter(members.contains).map {
                    "a case has a member \($0), a name that templates need themselves"
                }
                return (entry.problems + clashes).map {
                    TemplateProblem(file: "operations/\(entry.id)", line: 0, message: $0)
                }
            }
    }
}

/// A renderer that records the fields of each template instead of rendering it.
final class ShapeCollector: TemplateRendering {
    private struct State {
        /// The shapes of each template's members.
        ///
        /// Merged in place: a default template receives the members of all payloads, so copying them for each operation
        /// would take quadratic time.
        var members: [String: [String: TemplateShape]] = [:]
        var renderings = 0
    }

    private let library: TemplateLibrary
    private let state = Mutex(State())

    init(_ library: TemplateLibrary) { self.library = library }

    /// The members that each template received, over all renderings.
    var collected: [String: TemplateShape] {
        state.withLock { state in state.members.mapValues { .record($0, transforms: []) } }
    }

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
