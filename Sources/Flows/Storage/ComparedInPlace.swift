/// Marks the standard types whose equality is known to run no stranger's code, so that it may run under the lock.
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
