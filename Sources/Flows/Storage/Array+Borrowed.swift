extension Array where Element: AnyObject {
    /// Shows each object without counting a reference to it: meanwhile this array holds them.
    ///
    /// To count up and down is what a pass over many subscribers would mostly consist of.
    @inlinable @inline(__always)
    func forEachBorrowed(_ body: (Element) -> Void) {
        withUnsafeBufferPointer { objects in
            objects.withMemoryRebound(to: Unmanaged<Element>.self) { references in
                for reference in references { reference._withUnsafeGuaranteedRef(body) }
            }
        }
    }
}
