public import Synchronization

/// Reads trivial values that fit in a word, such as numbers and cases without payload, without the lock.
extension FlowStorage {
    @inlinable @inline(__always)
    static var fitsWord: Bool { _isPOD(Value.self) && MemoryLayout<Value>.size <= MemoryLayout<UInt>.size }

    /// The current value, if it fits.
    @inlinable @inline(__always)
    var valueOfWord: Value {
        // Unsafe memory: only a value without references and at most one word long is stored this way.
        withUnsafeBytes(of: word.load(ordering: .acquiring)) { $0.loadUnaligned(as: Value.self) }
    }

    /// Releases the lock after a write; from then on the value can be read.
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
