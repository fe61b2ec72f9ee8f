import WeirStates

/// What a value of an operation's file can be.
///
/// The table ``OperationKeys`` is made of shapes. Files are checked by them (`Shape+Check.swift`) and the JSON Schema for
/// editors is made of them (`Shape+Schema.swift`), so that the two cannot disagree.
indirect enum Shape: Sendable {
    /// A text of at most so many characters.
    case text(limit: Int)
    /// A text that is a name: letters, digits, hyphens and underscores, beginning with a letter.
    case name(limit: Int)
    /// One of these words.
    case choice([String])
    /// A whole number within the bounds.
    case integer(ClosedRange<Int64>)
    /// Any number.
    case number
    /// `true` or `false`.
    case flag
    /// A length of time, such as `90s`, `5m` or `1h30m`, of at most so long.
    case duration(most: Duration)
    /// A number of bytes, such as `512 MB`.
    case bytes
    /// The bits of `umask`: three octal digits, such as `022`.
    case mask
    /// Any scalar.
    case scalar
    /// Whatever JSON can say.
    case any
    /// A text, or one for each language.
    case words(limit: Int)
    /// A list of at most so many values.
    case list(of: Shape, limit: Int)
    /// A mapping from names to values, of at most so many.
    case dictionary(of: Shape, limit: Int)
    /// A mapping with these members.
    case object([Key])
    /// A value of the first shape, or, if it is a mapping or a list as the second one is, of the second.
    case either(Shape, Shape)
    /// Not supported yet: the sentence says so.
    case refused(String)

    /// A member of a mapping.
    struct Key: Sendable {
        let name: String
        let shape: Shape
        var isRequired = false
        /// What it is for, in a sentence: editors show it.
        let help: String

        init(_ name: String, _ shape: Shape, required: Bool = false, _ help: String) {
            self.name = name
            self.shape = shape
            isRequired = required
            self.help = help
        }
    }
}
