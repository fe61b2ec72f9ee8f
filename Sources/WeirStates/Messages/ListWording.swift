/// How the last of several things is joined to the others.
///
/// Each case is the English sentence. The tables of strings have it in every language, under “list.” and the
/// case's name.
package enum ListWording: String, Wording {
    package static let section = "list"

    case either = "{first} or {last}"
    case all = "{first} and {last}"
}
