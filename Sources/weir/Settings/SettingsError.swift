/// Every mistake in the settings, at once.
struct SettingsError: Error, CustomStringConvertible {
    /// The mistakes, in the order in which they count.
    let mistakes: [SettingMistake]

    var description: String { mistakes.map(\.description).joined(separator: "\n") }
}
