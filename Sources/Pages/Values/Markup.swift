import Mustache

/// HTML that our own templates rendered: inserted by `{{{…}}}` as it is.
struct Markup: MustacheCustomRenderable {
    let html: String

    init(_ html: String) { self.html = html }

    var renderText: String { html }
    var isNull: Bool { false }
}
