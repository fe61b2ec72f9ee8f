public import Foundation
public import WeirBoards
public import WeirOperations
public import WeirPages
import WeirStates

/// Renders single states of an operation by its templates, without any page around them: for snapshots and checks of
/// markup.
///
/// ```swift
/// let renderer = try StateRenderer(Backup(), id: "backup", templates: templates)
/// #expect(renderer.html(.succeeded("Copied 3 files.")) == "<p class=\"big\">Copied 3 files.</p>")
/// ```
public struct StateRenderer<Work: StateOperation>: Sendable {
    private let id: String
    private let renderer: PageRenderer

    /// Makes a renderer.
    ///
    /// - Parameters:
    ///   - operation: The operation.
    ///   - id: Its id, which names the folder of its templates.
    ///   - title: Its title, where a template shows it.
    ///   - summary: Its summary, where a template shows it.
    ///   - templates: A folder laid out as `Templates`, as it is given to `mountWeir`.
    /// - Throws: `TemplateSetError` when the folder cannot be read.
    public init(
        _ operation: Work, id: String, title: String = "Title", summary: String = "Summary.", templates: URL? = nil
    ) throws {
        var catalog = Catalog()
        catalog.add(operation, id: id, title: title, summary: summary)
        self.id = id
        renderer = PageRenderer(catalog: catalog, templates: try TemplateSet(overlay: templates))
    }

    /// What the state's template makes of a state: the part of a page that the operation's author writes, without the
    /// chip, the gauge and the buttons around it.
    ///
    /// - Parameters:
    ///   - state: The state.
    ///   - language: The tag of a language, such as `pt-BR`; English where there is no such language.
    ///   - isCompact: Whether there is only a card's room.
    /// - Returns: HTML, the same for the same state.
    /// - Throws: `EncodingError` for a state that cannot be recorded.
    public func html(_ state: Work.State, language: String = "en", isCompact: Bool = false) throws -> String {
        renderer.stateBody(
            try StateRecord(state), of: id, locale: renderer.locale(choice: language, acceptLanguage: nil),
            isCompact: isCompact)
    }
}

/// Everything that is wrong with a catalog's operations and stores, their templates and their strings, as `weir check`
/// reports it; empty when all is well.
///
/// ```swift
/// #expect(try templateProblems(in: makeCatalog(), templates: templates) == [])
/// ```
/// - Parameters:
///   - catalog: What is shown.
///   - templates: A folder laid out as `Templates`, as it is given to `mountWeir`.
/// - Returns: The problems, by file and line.
/// - Throws: `TemplateSetError` when the folder cannot be read.
public func templateProblems(in catalog: Catalog, templates: URL? = nil) throws -> [TemplateProblem] {
    PageRenderer(catalog: catalog, templates: try TemplateSet(overlay: templates)).check()
}
