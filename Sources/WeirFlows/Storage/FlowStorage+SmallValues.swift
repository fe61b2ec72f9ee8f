public import Synchronization

/// Reads trivial values that fit in a word, such as numbers and cases without payload, without the lock.
extension FlowStorage {
    @inlinable @inline(__always)
    static var fitsWord: Bool { _isPOD(Value.self) && MemoryLayout<Value>.size <= MemoryLayout<UInt>.size }

    @inlinable @inline(__always)
    var valueOfWord: Value {
        // Unsafe memory: only a value without references and at most one word long is stored this way.
        withUnsafeBytes(of: word.load(ordering: .acquiring)) { $0.loadUnaligned(as: Value.self) }
    }

    /// Publishes the word and releases the lock after a write.
    @inlinable @inline(__always)
    func unlockAfterWriting() {
        if FlowStorage.fitsWord { word.store(FlowStorage.word(of: machine.value), ordering: .releasing) }
        lock.unlock()
    }

    @inlinable @inline(__always)
    static func word(of value: Value) -> UInt {
        var word: UInt = 0
        withUnsafeMutableBytes(of: &word) { word in
            withUnsafeBytes(of: value) { word.copyMemory(from: $0) }
        }
        return word
    }
}

/// Marks the standard types whose equality runs no foreign code and can therefore run under the lock.
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
