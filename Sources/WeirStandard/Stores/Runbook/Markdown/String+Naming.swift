extension String {
    /// A name derived from a text: lowercase ASCII letters and digits, joined by hyphens, distinct from those taken.
    init(naming text: String, orElse other: String = "step", taken: Set<String> = []) {
        let words = text.lowercased().split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
        var name = ""
        for word in words where name.isEmpty || name.count + word.count < 40 {
            name += (name.isEmpty ? "" : "-") + word.prefix(40)
        }
        if name.isEmpty { name = other }
        var candidate = name
        var number = 2
        while taken.contains(candidate) {
            candidate = "\(name)-\(number)"
            number += 1
        }
        self = candidate
    }
}
