public import WeirStates

/// The reason why a field of an input is invalid, and the remedy.
public struct InputMistake: Sendable, Hashable, Codable {
    /// The field's name, or an empty text for the input as a whole.
    ///
    /// Names of unknown fields are truncated to 64 characters.
    public let field: String
    package let message: Message

    /// One or two sentences for the user, in English.
    ///
    /// Quotes the given value, truncated.
    public var detail: String { message.description }

    /// Whether the same value can become valid in a moment.
    package var isPassing: Bool { message == Message(InputWording.choicePending) }

    package init(field: String, message: Message) {
        self.field = field
        self.message = message
    }

    /// Creates a mistake with a message that is not translated.
    package init(field: String, detail: String) { self.init(field: field, message: Message(verbatim: detail)) }

    private enum CodingKeys: String, CodingKey {
        case field
        case message = "detail"
    }
}

/// All mistakes of an input: at most one per field, in the order of the fields.
public struct InputMistakes: ExplainedError, Sendable, Hashable {
    /// The mistakes, at least one.
    public let mistakes: [InputMistake]

    package init(_ mistakes: [InputMistake]) { self.mistakes = mistakes }

    /// One line per mistake.
    public var description: String {
        mistakes.map { $0.field.isEmpty ? $0.detail : "\($0.field): \($0.detail)" }.joined(separator: "\n")
    }
}

/// The reason why a value is invalid.
struct InputRejection: Error {
    let message: Message

    init(_ message: Message) { self.message = message }

    init(_ wording: InputWording, _ values: [String: Message.Value] = [:]) {
        self.init(Message(wording, values))
    }
}

/// The messages about invalid inputs.
///
/// Raw values are the English texts. Translations use the section “input” and the case's name as key.
package enum InputWording: String, Wording {
    package static let section = "input"

    case line = "Give one line of text of at most {limit} characters."
    case lineNot = "Give one line of text of at most {limit} characters, not {given}."
    case lines = "Give text of at most {limit} characters."
    case linesNot = "Give text of at most {limit} characters, not {given}."
    case url = "Give a URL that begins with {schemes}."
    case urlNot = "Give a URL that begins with {schemes}, not {given}."
    case date = "Give a day of the calendar, such as 2026-11-27."
    case dateNot = "Give a day of the calendar, such as 2026-11-27, not {given}."
    case time = "Give a time of the day, such as 03:30."
    case timeNot = "Give a time of the day, such as 03:30, not {given}."
    case whole = "Give a whole number."
    case wholeNot = "Give a whole number, not {given}."
    case wholeAtMost = "Give a whole number of at most {most}."
    case wholeAtMostNot = "Give a whole number of at most {most}, not {given}."
    case wholeAtLeast = "Give a whole number of at least {least}."
    case wholeAtLeastNot = "Give a whole number of at least {least}, not {given}."
    case wholeBetween = "Give a whole number from {least} to {most}."
    case wholeBetweenNot = "Give a whole number from {least} to {most}, not {given}."
    case number = "Give a number."
    case numberNot = "Give a number, not {given}."
    case numberAtMost = "Give a number of at most {most}."
    case numberAtMostNot = "Give a number of at most {most}, not {given}."
    case numberAtLeast = "Give a number of at least {least}."
    case numberAtLeastNot = "Give a number of at least {least}, not {given}."
    case numberBetween = "Give a number from {least} to {most}."
    case numberBetweenNot = "Give a number from {least} to {most}, not {given}."
    case boolean = "Give true or false."
    case booleanNot = "Give true or false, not {given}."
    case choice = "Choose {values}."
    case choiceNot = "Choose {values}, not {given}."
    case choices = "Choose one or more of {values}."
    case choicesNot = "Choose one or more of {values}, not {given}."
    case choiceEmpty = "The list of values is empty."
    case choiceNone = "There are no values for this choice of {fields}. Choose another."
    case choicePending = "The values are still being read. Try again in a moment."
    case secret = "Give a secret of at most {limit} characters. It is not recorded."
    case secretAgain = "This is secret and was not kept. Give it again, with the rest of the input."
    case secretNotKept = "The server keeps no secret “{name}”. Set it with weir secret set {name}, or give one here."
    case secretNotKeptAt = """
        The server “{server}” keeps no secret “{name}”. Set it there with weir secret set {name}, or give one at the start.
        """
    case file = "Choose a file."
    case fileElsewhere = "Choose a file. It comes with the request that starts the run, not as a JSON value."
    case fileWrong = "The file is described wrongly: “{name}” cannot be used."
    case fileUnnamed = "The file is described wrongly: it needs “id” and “filename”."
    case controlCharacters = "Give one line of text without control characters."
    case tooLong = "This is {length} characters long; at most {limit} are accepted."
    case brokenPattern = "The pattern of this field is no regular expression: its operation must be corrected."
    case slowPattern = "This takes too long to check. Give a shorter text, or have this field's pattern made simpler."
    case otherForm = "“{given}” does not have the form asked for: {help}"
    case required = "This is required. {expectation}"
    case urlWithPassword = "This URL contains a user name or password, which would be recorded. Leave it out."
    case urlPort = "This URL has a port that does not exist. Ports go from 1 to 65535."
    case noFields = "This operation takes no input; leave it out."
    case unknownField = "There is no such field; leave it out. The fields are {fields}."
    case pathNowhere = "The request has nothing at {path}. Correct the path in the operation's file, or what is sent."
    case pathKind =
        "{path} of the request is {given}. Give the path of text, of a number, or of true or false."
    case object = "Send a JSON object with the members {members}, not {given}."
    case emptyObject = "Send a JSON object without members, not {given}."
    case aBoolean = "true or false"
    case aNumber = "a number"
    case aText = "text"
    case aList = "a list"
    case anObject = "an object"
}
