package import WeirJournals
package import WeirOperations
package import WeirStates

/// A form as somebody filled it in: what was typed and what is wrong with it.
package struct FormDraft: Sendable, Hashable {
    /// The id of the form, on a page that has several; nil for the one there is.
    package var form: String?
    /// What was typed, by field.
    package var values: [String: String]
    /// What is wrong, by field; a mistake of no field of the form is shown above it.
    package var errors: [InputMistake]
    /// What is wrong with the whole, in a sentence.
    package var message: Message?

    /// Creates a draft from its parts.
    package init(
        form: String? = nil, values: [String: String] = [:], errors: [InputMistake] = [], message: Message? = nil
    ) {
        self.form = form
        self.values = values
        self.errors = errors
        self.message = message
    }

    /// The form filled in with what a run was started with, to start again with other input.
    package init(startingAgain run: RunRecord) {
        let texts = (run.opening.input.object ?? [:]).mapValues { PageWriter.text(of: $0) }
        self.init(values: texts.filter { !$0.value.isEmpty })
    }
}
