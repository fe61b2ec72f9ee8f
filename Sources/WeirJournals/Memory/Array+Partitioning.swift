extension Array {
    /// The index of the first element that satisfies a test; all elements after the first match must satisfy it too.
    func partitioningIndex(where test: (Element) throws -> Bool) rethrows -> Int {
        var low = startIndex
        var high = endIndex
        while low < high {
            let middle = low + (high - low) / 2
            if try test(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
