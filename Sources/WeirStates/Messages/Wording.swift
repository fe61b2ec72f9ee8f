/// The sentences of one subject: a case for each, whose raw value is the English sentence with `{places}` for values.
package protocol Wording: RawRepresentable<String>, CaseIterable, Sendable {
    /// What the keys of its sentences begin with, without the point.
    static var section: String { get }
}

extension Wording {
    /// Under which key languages have the sentence.
    package var key: String { "\(Self.section).\(self)" }
}
