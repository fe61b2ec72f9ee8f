import WeirBoards
package import WeirJournals

/// The effects of a runbook.
package enum RunbookEffect: StoreEffect, Equatable {
    /// A message to the people with these names; without names, to everybody who looks.
    case toast(String, to: [String]?)
    /// The runbook as a file, for the person who requested it.
    case download(filename: String, markdown: String, to: [String]?)

    /// The effect as browsers perform it.
    package var presentation: RecordedEffect {
        switch self {
        case .toast(let message, let names): RecordedEffect(.toast(message: message), audience: names)
        case .download(let filename, let markdown, let names):
            RecordedEffect(
                .download(filename: filename, mediaType: "text/markdown; charset=utf-8", text: markdown),
                audience: names)
        }
    }
}
