import CLibXML2

/// A syntax error of libxml2 as a sentence that says what to do.
struct SyntaxSentence {
    let text: String

    /// A code of our own, beside libxml2's: an entity is declared.
    static let entityDeclared = -1

    init(_ entry: ErrorLog.Entry, kind: MarkupKind) {
        let name = entry.names[0]
        let other = entry.names.count > 1 ? entry.names[1] : ""
        let around = { (element: String) in element == "fragment" && kind == .fragment }
        text =
            switch UInt32(clamping: entry.code) {
            case _ where entry.code == Self.entityDeclared:
                "Entities cannot be declared in a page (\(name)). The document type is exactly <!DOCTYPE html>."
            case XML_ERR_UNDECLARED_ENTITY.rawValue, XML_WAR_UNDECLARED_ENTITY.rawValue:
                "The entity &\(name); has no meaning in XML. Write the character or its number (&#160; for &nbsp;)."
            case XML_ERR_TAG_NAME_MISMATCH.rawValue where around(name):
                "</\(other)> closes nothing."
            case XML_ERR_TAG_NAME_MISMATCH.rawValue where around(other):
                "<\(name)> is not closed."
            case XML_ERR_TAG_NAME_MISMATCH.rawValue:
                "<\(name)> is open, but </\(other)> follows. Close <\(name)> first; a void element is closed as <br/>."
            case XML_ERR_TAG_NOT_FINISHED.rawValue, XML_ERR_DOCUMENT_END.rawValue:
                "The markup ends before everything in it is closed."
            case XML_ERR_DOCUMENT_EMPTY.rawValue:
                "There is no element here."
            case XML_ERR_ATTRIBUTE_REDEFINED.rawValue:
                "The attribute \(name) is given twice."
            case XML_ERR_ATTRIBUTE_NOT_STARTED.rawValue:
                "An attribute's value must be in quotes."
            case XML_ERR_ATTRIBUTE_WITHOUT_VALUE.rawValue:
                "The attribute \(name) has no value. Write \(name)=\"\(name)\"."
            case XML_ERR_LT_IN_ATTRIBUTE.rawValue:
                "A < in an attribute's value must be written as &lt;."
            case XML_ERR_NAME_REQUIRED.rawValue:
                "A name is expected here. A < or & that begins no name must be written as &lt; or &amp;."
            case XML_ERR_SPACE_REQUIRED.rawValue:
                "A space is expected between attributes."
            case XML_ERR_GT_REQUIRED.rawValue:
                "A tag is not ended by > here."
            case XML_ERR_HYPHEN_IN_COMMENT.rawValue:
                "A comment cannot have -- in it."
            case XML_ERR_MISPLACED_CDATA_END.rawValue:
                "The characters ]]> must be written as ]]&gt;."
            case XML_ERR_ENTITYREF_SEMICOL_MISSING.rawValue:
                "A & must be written as &amp;, or begin an entity that ends with a semicolon."
            case XML_ERR_INVALID_CHAR.rawValue:
                "There is a control character here that is not allowed in a page."
            case XML_NS_ERR_UNDEFINED_NAMESPACE.rawValue:
                "The prefix of \(name):\(other) is unknown. Names in pages have none."
            case XML_ERR_INTERNAL_ERROR.rawValue where entry.message.contains("depth"):
                "The elements are nested too deeply (more than 256 levels)."
            case XML_ERR_INTERNAL_ERROR.rawValue where entry.message.contains("Huge"):
                "A text in the page is longer than 10 MB."
            default:
                entry.message
            }
    }
}

extension ErrorLog.Entry {
    /// Whether the parser loses its position with this error, so that its next errors about tags are only consequences.
    var losesPlace: Bool {
        [
            XML_ERR_TAG_NAME_MISMATCH, XML_ERR_TAG_NOT_FINISHED, XML_ERR_DOCUMENT_END, XML_ERR_INTERNAL_ERROR,
            XML_ERR_GT_REQUIRED, XML_ERR_NAME_REQUIRED, XML_ERR_ATTRIBUTE_NOT_STARTED, XML_ERR_ATTRIBUTE_NOT_FINISHED,
            XML_ERR_ATTRIBUTE_WITHOUT_VALUE, XML_ERR_LT_IN_ATTRIBUTE, XML_ERR_SPACE_REQUIRED,
        ].contains(xmlParserErrors(UInt32(clamping: code))) && !isAmpersand
    }

    /// Whether the name that is missing is an entity's.
    private var isAmpersand: Bool { message.hasPrefix("xmlParseEntityRef") }
}
