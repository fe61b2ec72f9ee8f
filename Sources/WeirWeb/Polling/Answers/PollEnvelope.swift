import NIOCore
import WeirJournals

/// The JSON object around the events of a poll's answer.
///
/// ```json
/// {"v":1,"k":"batch","e":"k3f9","from":1041,"to":1042,"more":false,
///  "ev":[[1042,"run-17",8,[["m","run-17","<article id=\"run-17\">…</article>"]]]],
///  "next":"/live/1/board/k3f9/1042/136123","now":"/live/1/board/k3f9/1042/now","snap":"/live/1/board/snap"}
/// ```
/// `k` is `batch`, `empty`, `end`, `reset` or `drain`. With `reset` comes `why` (`gap`, `epoch`, `future`, `audience`, `catalog`), with a gap
/// `lost`, the first and last sequence of what is gone. With `drain`, and with `empty` when too many hold, comes `retry`:
/// the bounds, in milliseconds, of the wait before `next`. With `batch`, `empty` and `drain` comes `notice` while there is
/// something to know about the journal: the element that the page shows in its `notice` until an answer comes without. With
/// another epoch's `reset` it says that the history was replaced, which the page shows for good wherever nothing else is
/// to be shown. With the `empty` of a store's feed comes `viewers` for people who are known by name: what the page shows
/// in its `viewers` until an answer brings something else.
struct PollEnvelope: Sendable {
    /// The kind, as `k` tells it.
    enum Kind: String, Sendable { case batch, empty, end, reset, drain }
    /// Why a client must start over.
    enum Reason: String, Sendable { case gap, epoch, future, audience, catalog }

    var kind: Kind
    var epoch: String
    var from: SequenceNumber
    var to: SequenceNumber
    var more = false
    var reason: Reason?
    var lost: ClosedRange<SequenceNumber>?
    var retry: ClosedRange<Int64>?
    var notice: String?
    var viewers: String?
    var next: String
    var now: String
    var snap: String

    /// The whole object around events that are JSON already.
    func encode(events: [ByteBuffer] = []) -> ByteBuffer {
        var json = ByteBuffer()
        json.reserveCapacity(320 + events.reduce(0) { $0 + $1.readableBytes + 1 })
        json.writeString(#"{"v":1,"k":""#)
        json.writeString(kind.rawValue)
        json.writeString(#"","e":"\#(epoch)","from":\#(from),"to":\#(to),"more":\#(more)"#)
        if let reason { json.writeString(#","why":"\#(reason.rawValue)""#) }
        if let lost { json.writeString(#","lost":[\#(lost.lowerBound),\#(lost.upperBound)]"#) }
        if let retry { json.writeString(#","retry":[\#(retry.lowerBound),\#(retry.upperBound)]"#) }
        if let notice {
            json.writeString(#","notice":"#)
            json.writeJSON(notice)
        }
        if let viewers {
            json.writeString(#","viewers":"#)
            json.writeJSON(viewers)
        }
        json.writeString(#","ev":["#)
        for (index, event) in events.enumerated() {
            if index > 0 { json.writeString(",") }
            json.writeImmutableBuffer(event)
        }
        json.writeString(#"],"next":"#)
        json.writeJSON(next)
        json.writeString(#","now":"#)
        json.writeJSON(now)
        json.writeString(#","snap":"#)
        json.writeJSON(snap)
        json.writeString("}")
        return json
    }
}
