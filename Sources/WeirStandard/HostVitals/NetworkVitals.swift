/// How much came and went over the network since the last measurement, interfaces within this machine not counted.
package struct NetworkVitals: Codable, Hashable, Sendable {
    /// Bytes received a second.
    package let receivedPerSecond: Int64
    /// Bytes sent a second.
    package let sentPerSecond: Int64
    /// Received, one value a second, the newest last, in kB/s.
    package let receivedHistory: [Int]
    /// Sent, one value a second, the newest last, in kB/s.
    package let sentHistory: [Int]

    /// Makes vitals.
    package init(receivedPerSecond: Int64, sentPerSecond: Int64, receivedHistory: [Int], sentHistory: [Int]) {
        self.receivedPerSecond = receivedPerSecond
        self.sentPerSecond = sentPerSecond
        self.receivedHistory = receivedHistory
        self.sentHistory = sentHistory
    }
}
