public import Foundation

/// A type that a property of an input may have, so that a field can be made of the property's key path.
///
/// Text, numbers, `Bool`, `URL`, `FileInput` and optionals of them are such types. An enum of texts becomes a choice by
/// declaring the conformance: `enum Level: String, CaseIterable, InputValue { case low, high }`. Another integer type
/// needs the conformance only: `extension UInt8: InputValue {}`.
public protocol InputValue: Codable, Sendable {
    /// The type itself; for an optional, the type it wraps.
    associatedtype Unwrapped = Self
    /// What a field accepts unless it says otherwise.
    static var accepted: InputField.Kind { get }
}

extension String: InputValue {
    /// One line of text.
    public static var accepted: InputField.Kind { .text() }
}

extension Bool: InputValue {
    /// Yes or no.
    public static var accepted: InputField.Kind { .boolean }
}

extension InputValue where Self: FixedWidthInteger {
    /// Any whole number of the type that 64 bits hold.
    public static var accepted: InputField.Kind { .integer(Int64(clamping: Self.min)...Int64(clamping: Self.max)) }
}

extension InputValue where Self: BinaryFloatingPoint {
    /// Any number.
    public static var accepted: InputField.Kind { .number(-Double.infinity...Double.infinity) }
}

extension Int: InputValue {}
extension Int64: InputValue {}
extension Double: InputValue {}

extension InputValue where Self: RawRepresentable & CaseIterable, RawValue == String {
    /// A choice between the cases, by their raw values.
    public static var accepted: InputField.Kind { .choice(allCases.map(\.rawValue)) }
}

extension URL: InputValue {
    /// A web address.
    public static var accepted: InputField.Kind { .url() }
}

extension FileInput: InputValue {
    /// A file.
    public static var accepted: InputField.Kind { .file }
}

extension Optional: InputValue where Wrapped: InputValue {
    /// The type that is wrapped, without any optional.
    public typealias Unwrapped = Wrapped.Unwrapped
    /// What the wrapped type accepts; the field may be left empty.
    public static var accepted: InputField.Kind { Wrapped.accepted }
}
