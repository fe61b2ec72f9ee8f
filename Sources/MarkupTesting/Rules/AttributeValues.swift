/// Global attributes, and boolean attributes, have allowed values.
struct AttributeValues: MarkupRule {
    var name: String { "attribute-values" }

    init() {}

    /// The elements with a value that its attribute does not allow.
    func problems(in document: MarkupDocument) throws -> [MarkupProblem] {
        try document.elements("//*[@*]").flatMap { element in
            element.attributeNames.compactMap { attribute in
                guard let kind = AttributeKind.of(attribute), let value = element[attribute],
                    !kind.allows(value, of: attribute)
                else { return nil }
                return element.problem(
                    "\(attribute)=\"\(value.prefix(60))\" is not an allowed value: \(kind.expectation(of: attribute)).",
                    of: self)
            }
        }
    }
}

/// The allowed values of an attribute, after the HTML standard and WAI-ARIA 1.2.
enum AttributeKind {
    /// One of some words.
    case word(Set<String>)
    /// Empty, or the attribute's own name.
    case presence
    case number
    case integer
    /// Anything that is not empty.
    case filled

    static func of(_ attribute: String) -> AttributeKind? {
        kinds[attribute]
    }

    func allows(_ value: String, of attribute: String) -> Bool {
        switch self {
        case .word(let words): words.contains(value)
        case .presence: value.isEmpty || value == attribute
        case .number: Double(value)?.isFinite ?? false
        case .integer: Int(value) != nil
        case .filled: value.contains { !$0.isWhitespace }
        }
    }

    func expectation(of attribute: String) -> String {
        switch self {
        case .word where attribute == "role": "expected a role of WAI-ARIA"
        case .word(let words): "expected one of \(words.sorted().map { "\"\($0)\"" }.joined(separator: ", "))"
        case .presence: "expected \(attribute)=\"\(attribute)\" or nothing"
        case .number: "expected a number"
        case .integer: "expected a whole number"
        case .filled: "it must not be empty"
        }
    }

    private static let kinds: [String: AttributeKind] = {
        var kinds: [String: AttributeKind] = [
            "hidden": .word(["", "hidden", "until-found"]),
            "dir": .word(["ltr", "rtl", "auto"]),
            "translate": .word(["yes", "no"]),
            "popover": .word(["", "auto", "hint", "manual"]),
            "aria-autocomplete": .word(["inline", "list", "both", "none"]),
            "aria-current": .word(["page", "step", "location", "date", "time", "true", "false"]),
            "aria-haspopup": .word(["false", "true", "menu", "listbox", "tree", "grid", "dialog"]),
            "aria-invalid": .word(["grammar", "false", "spelling", "true"]),
            "aria-live": .word(["assertive", "off", "polite"]),
            "aria-orientation": .word(["horizontal", "vertical", "undefined"]),
            "aria-sort": .word(["ascending", "descending", "none", "other"]),
            "aria-checked": .word(["true", "false", "mixed"]),
            "aria-pressed": .word(["true", "false", "mixed"]),
            "role": .word(Set(roles.split(whereSeparator: \.isWhitespace).map(String.init))),
            "tabindex": .integer,
        ]
        func add(_ kind: AttributeKind, _ names: String) {
            for name in names.split(whereSeparator: \.isWhitespace) { kinds[String(name)] = kind }
        }
        add(.word(["true", "false"]), flags)
        add(.presence, presences)
        add(.number, numbers)
        add(.filled, texts)
        return kinds
    }()

    private static let flags = """
        aria-atomic aria-busy aria-disabled aria-expanded aria-hidden aria-modal aria-multiline aria-multiselectable
        aria-readonly aria-required aria-selected contenteditable draggable spellcheck
        """
    private static let presences = """
        async autofocus checked defer disabled formnovalidate inert multiple nomodule novalidate open readonly required
        reversed selected
        """
    private static let numbers = """
        aria-colcount aria-colindex aria-colspan aria-level aria-posinset aria-rowcount aria-rowindex aria-rowspan
        aria-setsize aria-valuemax aria-valuemin aria-valuenow
        """
    private static let texts = """
        lang accesskey aria-activedescendant aria-controls aria-describedby aria-details aria-errormessage aria-flowto
        aria-label aria-labelledby aria-owns aria-valuetext aria-roledescription
        """
    private static let roles = """
        alert alertdialog application article banner blockquote button caption cell checkbox code columnheader combobox
        complementary contentinfo definition deletion dialog document emphasis feed figure form generic grid gridcell
        group heading img insertion link list listbox listitem log main marquee math menu menubar menuitem
        menuitemcheckbox menuitemradio meter navigation none note option paragraph presentation progressbar radio
        radiogroup region row rowgroup rowheader scrollbar search searchbox separator slider spinbutton status strong
        subscript superscript switch tab table tablist tabpanel term textbox time timer toolbar tooltip tree treegrid
        treeitem
        """
}
