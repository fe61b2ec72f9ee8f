import TestSupport
import WeirFlows

/// A server on 127.0.0.1 that takes requests whole and answers each as the test says.
final class Receiver: Sendable {
    let requests: MutableStateFlow<[RequestListener.Request]>
    private let listener: RequestListener
    var url: String { listener.url + "/" }

    /// Binds; the closure is given the request's number, from 1, and returns the status line and more header fields.
    init(_ answer: @escaping @Sendable (Int) -> String = { _ in "200 OK" }) async throws {
        let requests = MutableStateFlow<[RequestListener.Request]>([])
        self.requests = requests
        listener = try await RequestListener { request in
            RequestListener.http(answer(requests.update { $0 + [request] }.new.count), "no")
        }
    }
}
