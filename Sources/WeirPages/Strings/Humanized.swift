/// A name as code writes it, as words: `openingSession` is `Opening session`.
struct Humanized {
    let text: String

    init(_ name: String) {
        var words = ""
        for character in name {
            if character == "_" || character == "-" {
                words += " "
            } else if character.isUppercase, let last = words.last, last.isLowercase || last.isNumber {
                words += " " + character.lowercased()
            } else {
                words.append(character)
            }
        }
        text = words.prefix(1).uppercased() + words.dropFirst()
    }
}
