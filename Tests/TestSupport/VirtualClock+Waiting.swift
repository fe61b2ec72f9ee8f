package import WeirFlows

extension VirtualClock {
    /// Waits until at least so many sleep whose time has not come.
    package func sleepers(_ count: Int) async {
        _ = await sleepers.first { $0 >= count }
    }

    /// Waits until at most so many sleep.
    package func sleepers(atMost count: Int) async {
        _ = await sleepers.first { $0 <= count }
    }
}
