public import Synchronization

/// Values that are plain bits and fit a word, such as numbers and cases without payload, are read without the lock.
extension FlowStorage {
    @inlinable @inline(__always)
    static var fitsWord: Bool { _isPOD(Value.self) && MemoryLayout<Value>.size <= MemoryLayout<UInt>.size }

    /// The current value, where it fits.
    @inlinable @inline(__always)
    var valueOfWord: Value {
        withUnsafeBytes(of: word.load(ordering: .acquiring)) { $0.loadUnaligned(as: Value.self) }
    }

    /// Gives the lock back after a write, from when on it can be read.
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
