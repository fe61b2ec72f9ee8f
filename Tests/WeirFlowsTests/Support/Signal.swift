import WeirFlows

/// Something that happens once; a test can wait for it.
final class Signal: Sendable {
    private let flow = MutableStateFlow(false)

    var hasHappened: Bool { flow.value }

    func happen() {
        flow.value = true
    }

    func wait() async {
        _ = await flow.first { $0 }
    }
}
