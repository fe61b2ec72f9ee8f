/// A mistake in a setting: where it stands and what would be right.
struct SettingMistake: Sendable, Equatable, CustomStringConvertible {
    /// Where it stands: `weir.yml:3`, `WEIR_PORT` or `--port`.
    let place: String
    /// What is wrong and what would be right.
    let detail: String

    var description: String { "\(place): \(detail)" }
}
