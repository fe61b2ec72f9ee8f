public import Foundation
public import WeirBoards
public import WeirOperations
public import WeirPages
import WeirStates

/// Renders single states of an operation by its templates, without the surrounding page, for snapshot and markup tests.
///
/// ```swift
/// let renderer = try StateRenderer(Backup(), id: "backup", templates: templates)
/// #expect(renderer.html(.succeeded("Copied 3 files.")) == "<p class=\"big\">Copied 3 files.</p>")
/// ```
public struct StateRenderer<Work: StateOperation>: Sendable {
    private let id: String
    private let renderer: PageRenderer

    /// Creates a renderer.
    ///
    /// - Parameters:
    ///   - operation: The operation.
    ///   - id: The operation's id, which names the folder of its templates.
    ///   - title: The operation's title, for templates that show it.
    ///   - summary: The operation's summary, for templates that show it.
    ///   - templates: A folder with the layout of `Templates`, as passed to `mountWeir`.
    /// - Throws: `TemplateSetError` if the folder cannot be read.
    public init(
        _ operation: Work, id: String, title: String = "Title", summary: String = "Summary.", templates: URL? = nil
    ) throws {
        var catalog = Catalog()
        catalog.add(operation, id: id, title: title, summary: summary)
        self.id = id
        renderer = PageRenderer(catalog: catalog, templates: try TemplateSet(overlay: templates))
    }

    /// Renders a state with its own template, without the chip, the gauge and the buttons around it.
    ///
    /// - Parameters:
    ///   - state: The state.
    ///   - language: A language tag, such as `pt-BR`; English if the language does not exist.
    ///   - isCompact: Whether to render for the space of a card.
    /// - Returns: HTML, always the same for equal states.
    /// - Throws: `EncodingError` for a state that cannot be recorded.
    public func html(_ state: Work.State, language: String = "en", isCompact: Bool = false) throws -> String {
        renderer.stateBody(
            try StateRecord(state), of: id, locale: renderer.locale(choice: language, acceptLanguage: nil),
            isCompact: isCompact)
    }
}

/// The problems in a catalog's operations and stores, their templates and their strings, as `weir check` reports them.
///
/// ```swift
/// #expect(try templateProblems(in: makeCatalog(), templates: templates) == [])
/// ```
/// - Parameters:
///   - catalog: The catalog to check.
///   - templates: A folder with the layout of `Templates`, as passed to `mountWeir`.
/// - Returns: The problems by file and line; empty if there are none.
/// - Throws: `TemplateSetError` if the folder cannot be read.
public func templateProblems(in catalog: Catalog, templates: URL? = nil) throws -> [TemplateProblem] {
    PageRenderer(catalog: catalog, templates: try TemplateSet(overlay: templates)).check()
}
