/// What a piece of markup is: a whole page, or part of one.
public enum MarkupKind: Sendable, Hashable {
    /// A whole page: `<!DOCTYPE html>` and one `html` element.
    case document

    /// A piece of a page: text and flow elements, or a run of elements that need a parent (`li`, `tr`, `option`).
    case fragment
}
