public import Boards
public import Journals

/// What a runbook makes happen once.
public enum RunbookEffect: StoreEffect, Equatable {
    /// A message to those of these names; to everybody who looks, without names.
    case toast(String, to: [String]?)
    /// The runbook as a file, for whoever asked for it.
    case download(filename: String, markdown: String, to: [String]?)

    /// The effect as browsers make it happen.
    public var presentation: RecordedEffect {
        switch self {
        case .toast(let message, let names): RecordedEffect(.toast(message: message), audience: names)
        case .download(let filename, let markdown, let names):
            RecordedEffect(
                .download(filename: filename, mediaType: "text/markdown; charset=utf-8", text: markdown),
                audience: names)
        }
    }
}
