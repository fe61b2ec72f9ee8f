import HTTPTypes

extension HTTPField.Name {
    // The fields of the Durable Streams protocol (section 13.2).
    static let streamNextOffset = known("Stream-Next-Offset")
    static let streamUpToDate = known("Stream-Up-To-Date")
    static let streamClosed = known("Stream-Closed")
    static let streamCursor = known("Stream-Cursor")
    static let streamSequence = known("Stream-Seq")
    static let streamLifetime = known("Stream-TTL")
    static let streamExpiry = known("Stream-Expires-At")
    static let streamSource = known("Stream-Forked-From")
    static let producerID = known("Producer-Id")
    static let producerEpoch = known("Producer-Epoch")
    static let producerNumber = known("Producer-Seq")
    static let producerExpected = known("Producer-Expected-Seq")
    static let producerReceived = known("Producer-Received-Seq")
    /// Ours: from where on a stream is kept.
    static let streamFirstOffset = known("Stream-First-Offset")
    /// Ours: how many seconds a reporter may be silent.
    static let weirLease = known("Weir-Lease")
    /// Asks nginx to pass events on at once.
    static let accelBuffering = known("X-Accel-Buffering")
}
