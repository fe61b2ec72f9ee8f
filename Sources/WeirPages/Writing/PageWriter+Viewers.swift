extension PageWriter {
    /// How many people are named; the others are counted.
    static var namedViewers: Int { 4 }

    /// Who else has a page open, as `partials/viewers` shows it; nil when nobody has.
    func viewers(_ names: [String]) -> Fields? {
        guard !names.isEmpty else { return nil }
        let (named, rest) = (names.prefix(Self.namedViewers), names.dropFirst(Self.namedViewers))
        let more: Fields? =
            rest.isEmpty
            ? nil
            : ["count": "+" + format.integer(Int64(rest.count)), "names": rest.prefix(50).joined(separator: ", ")]
        return ["words": strings(.viewers, ["names": named.joined(separator: ", ")]), "more": more]
    }
}
