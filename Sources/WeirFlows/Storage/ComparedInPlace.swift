/// Marks the standard types whose equality runs no foreign code, so that it can run under the lock.
@usableFromInline
protocol ComparedInPlace {}

extension Bool: ComparedInPlace {}
extension Int: ComparedInPlace {}
extension Int8: ComparedInPlace {}
extension Int16: ComparedInPlace {}
extension Int32: ComparedInPlace {}
extension Int64: ComparedInPlace {}
extension UInt: ComparedInPlace {}
extension UInt8: ComparedInPlace {}
extension UInt16: ComparedInPlace {}
extension UInt32: ComparedInPlace {}
extension UInt64: ComparedInPlace {}
extension Float: ComparedInPlace {}
extension Double: ComparedInPlace {}
extension String: ComparedInPlace {}
