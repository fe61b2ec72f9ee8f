import Mustache

extension TemplateLibrary {
    /// What stands in the place of a broken template.
    ///
    /// A box has no tags, so Mustache accepts it.
    static func box(_ problem: TemplateProblem) -> MustacheTemplate? {
        do {
            return try MustacheTemplate(string: boxHTML(problem))
        } catch {
            return nil
        }
    }

    /// A box in words, as markup that may stand wherever text may.
    static func boxHTML(_ problem: TemplateProblem) -> String {
        let place = problem.line > 0 ? "\(problem.file):\(problem.line)" : problem.file
        return "<span class=\"broken\" role=\"alert\"><code>\(escaped(place))</code> \(escaped(problem.message))</span>"
    }

    /// What Mustache said of a template it did not accept, in words.
    static func problem(_ file: String, _ error: any Error) -> TemplateProblem {
        guard let error = error as? MustacheTemplate.ParserError else {
            return TemplateProblem(file: file, line: 0, message: "cannot be read as Mustache: \(error)")
        }
        let words =
            switch error.error as? MustacheTemplate.Error {
            case .sectionCloseNameIncorrect: "a section is closed that is not the one last opened"
            case .unfinishedName: "a tag is not finished, or its name has characters that names cannot have"
            case .expectedSectionEnd: "a section is not closed"
            case .invalidSetDelimiter: "delimiters are set wrongly"
            case .transformAppliedToInheritanceSection: "a block cannot have a transform"
            case .illegalTokenInsideInheritSection, .textInsideInheritSection:
                "only blocks may stand between an inherited template's tags"
            case .invalidConfigVariableSyntax, .unrecognisedConfigVariable: "there is no such setting"
            case nil: "cannot be read as Mustache"
            }
        return TemplateProblem(file: file, line: error.context.lineNumber, message: words)
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in CleanText(text).text.unicodeScalars {
            switch scalar {
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "&": result += "&amp;"
            case "\"": result += "&quot;"
            // A brace would be a tag when the box becomes a template.
            case "{": result += "&#123;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
