import Mustache
import WeirJournals

/// A text of a payload as a template sees it.
struct TextValue: MustacheParent, MustacheCustomRenderable, MustacheTransformable {
    let text: String
    let values: PayloadValues

    init(_ dirty: String, values: PayloadValues) {
        text = CleanText(dirty).text
        self.values = values
    }

    var renderText: String { text }
    var isNull: Bool { false }

    func child(named name: String) -> Any? { nil }

    func transform(_ name: String) -> Any? {
        switch name {
        case "time": Timestamp(text).map { MomentValue(moment: $0, format: values.format) }
        case "case": CleanText(values.caseLabel(text)).text
        case "said": CleanText(values.strings.said(recorded: text)).text
        case "empty": text.isEmpty
        default: nil
        }
    }

    static let transforms: Set<String> = ["time", "case", "said", "empty"]
}
