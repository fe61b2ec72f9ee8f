public import WeirStates

/// One field of an operation's input: its name, what it accepts, and how a form shows it.
public struct InputField: Sendable, Hashable, Codable {
    /// What a field accepts.
    public enum Kind: Sendable, Hashable, Codable {
        /// One line of text, of at most so many characters, matching the pattern (an ECMAScript regular expression) whole.
        ///
        /// It is matched by PCRE2, for a bounded time: a text on which the pattern is slow is refused.
        case text(maximumLength: Int = 1_000, pattern: String? = nil)
        /// Several lines of text, of at most so many characters.
        case multiline(maximumLength: Int = 100_000)
        /// An absolute URL of one of the schemes.
        case url(schemes: [String] = ["http", "https"])
        /// A whole number within the bounds.
        case integer(ClosedRange<Int64>)
        /// A number within the bounds.
        case number(ClosedRange<Double>)
        /// Yes or no.
        case boolean
        /// One of the values.
        case choice([String])
        /// Text that must not be known to others, of at most so many characters: a password, a key.
        ///
        /// It is in memory while the run goes and nowhere else; a retry asks for it again.
        case secret(maximumLength: Int = 10_000)
        /// A file, sent with the request that starts the run.
        case file
    }

    /// The coding key of the value in the input.
    package let name: String
    /// What a person calls it, in English; a string `field.<operation>.<name>` overrides it in a locale.
    package let label: String
    /// What it accepts.
    package let kind: Kind
    /// Whether a run cannot start without it.
    package let isRequired: Bool
    /// The value taken where none is given.
    package let defaultValue: JSONValue?
    /// A sentence of help shown beside the field, in English; `field.<operation>.<name>.help` overrides it.
    package let help: String?
    /// The unit shown behind the value, such as `s`.
    package let unit: String?
    /// Which values of a choice count beside which values of other choices; empty where all always do.
    package var groups: [ChoiceGroup] = []
    /// Whether the values of a choice are not known yet, so that no value can be checked.
    package var isPending = false
    /// The secret of the server that a secret is where nobody gives one, by its name; nil for none.
    package var kept: String?
    let pattern = FieldPattern()

    private enum CodingKeys: String, CodingKey {
        case name, label, kind, isRequired, defaultValue, help, unit, groups, kept
    }

    /// Makes a field.
    public init(
        _ name: String, _ label: String, _ kind: Kind, required: Bool = false, default defaultValue: JSONValue? = nil,
        help: String? = nil, unit: String? = nil
    ) {
        self.name = name
        self.label = label
        self.kind = kind
        self.isRequired = required
        self.defaultValue = defaultValue
        self.help = help
        self.unit = unit
    }
}
