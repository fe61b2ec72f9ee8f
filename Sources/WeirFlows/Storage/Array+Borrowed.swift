extension Array where Element: AnyObject {
    /// Calls a body with each object without retaining it, since the array holds it during the call.
    ///
    /// Retaining and releasing would be most of the cost of a pass over many subscribers.
    @inlinable @inline(__always)
    func forEachBorrowed(_ body: (Element) -> Void) {
        // Unsafe memory: the array holds the borrowed objects until the call returns.
        withUnsafeBufferPointer { objects in
            objects.withMemoryRebound(to: Unmanaged<Element>.self) { references in
                for reference in references { reference._withUnsafeGuaranteedRef(body) }
            }
        }
    }
}
