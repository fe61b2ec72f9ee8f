import Mustache

extension TemplateLibrary {
    /// What replaces a broken template.
    ///
    /// A box has no tags, so Mustache accepts it.
    static func box(_ problem: TemplateProblem) -> MustacheTemplate? {
        do {
            return try MustacheTemplate(string: boxHTML(problem))
        } catch {
            return nil
        }
    }

    /// A box as text, in markup that is allowed wherever text is.
    static func boxHTML(_ problem: TemplateProblem) -> String {
        let place = problem.line > 0 ? "\(problem.file):\(problem.line)" : problem.file
        return "<span class=\"broken\" role=\"alert\"><code>\(escaped(place))</code> \(escaped(problem.message))</span>"
    }

    /// The error of Mustache about a template it did not accept, as a phrase.
    static func problem(_ file: String, _ error: any Error) -> TemplateProblem {
        guard let error = error as? MustacheTemplate.ParserError else {
            return TemplateProblem(file: file, line: 0, message: "cannot be read as Mustache")
        }
        let words =
            switch error.error as? MustacheTemplate.Error {
            case .sectionCloseNameIncorrect: "a section is closed that was not opened last"
            case .unfinishedName: "a tag is not closed, or its name has invalid characters"
            case .expectedSectionEnd: "a section is not closed"
            case .invalidSetDelimiter: "delimiters are set wrongly"
            case .transformAppliedToInheritanceSection: "a block cannot have a transform"
            case .illegalTokenInsideInheritSection, .textInsideInheritSection:
                "only blocks are allowed between an inherited template's tags"
            case .invalidConfigVariableSyntax, .unrecognisedConfigVariable: "there is no such setting"
            case nil: "cannot be read as Mustache"
            }
        return TemplateProblem(file: file, line: error.context.lineNumber, message: words)
    }

    /// A brace would be a tag when the box becomes a template.
    private static func escaped(_ text: String) -> String {
        CleanText(text).markup.replacing("{", with: "&#123;")
    }
}
