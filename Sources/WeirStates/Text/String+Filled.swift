extension String {
    /// The text with what `value` gives for each `{name}`, in one go, so that braces in a value are no places.
    ///
    /// A place for which it gives nothing stays as it is.
    package func filled(_ value: (Substring) -> String?) -> String {
        var text = ""
        var rest = utf8[...]
        while let open = rest.firstIndex(of: UInt8(ascii: "{")),
            let close = rest[open...].firstIndex(of: UInt8(ascii: "}"))
        {
            text += self[rest.startIndex..<open]
            if let value = value(self[rest.index(after: open)..<close]) {
                text += value
                rest = rest[close...].dropFirst()
            } else {
                text += "{"
                rest = rest[open...].dropFirst()
            }
        }
        return text + self[rest.startIndex...]
    }
}
