import Foundation
import Mustache
import WeirStates

/// A number of a payload as a template sees it: in the locale's own way, or by a transform as something it measures.
struct NumberValue: MustacheParent, MustacheCustomRenderable, MustacheTransformable {
    let value: Double
    let format: LocaleFormat

    var renderText: String { format.number(value) }
    var isNull: Bool { false }

    func child(named name: String) -> Any? { nil }

    func transform(_ name: String) -> Any? {
        switch name {
        case "bytes": format.bytes(value)
        case "rate": format.bytes(value) + "/s"
        case "seconds": format.duration(Self.milliseconds(value * 1_000))
        case "milliseconds": format.duration(Self.milliseconds(value))
        case "percent": format.number(value, decimals: 0) + "\u{A0}%"
        case "fixed1": format.number(value, decimals: 1)
        case "fixed2": format.number(value, decimals: 2)
        case "fixed4": format.number(value, decimals: 4)
        case "plain": Self.plain(value)
        case "float": String(format: "%f", value)
        default: nil
        }
    }

    /// The number for an attribute: a point for decimals, no groups, at most three decimals.
    static func plain(_ value: Double) -> String {
        guard value.magnitude < 1e12 else { return "0" }
        let rounded = (value * 1_000).rounded() / 1_000
        return rounded == rounded.rounded() ? String(Int64(clamping: rounded)) : String(rounded)
    }

    private static func milliseconds(_ value: Double) -> Int64 { Int64(clamping: min(max(value, 0), 9e15)) }

    static let transforms: Set<String> = [
        "bytes", "rate", "seconds", "milliseconds", "percent", "fixed1", "fixed2", "fixed4", "plain", "float",
    ]
}
