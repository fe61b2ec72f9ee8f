import Operations
import States

/// Takes secrets out of the lines that a run prints before anything keeps them.
struct MaskingSink: OutputSink {
    let sink: any OutputSink
    let mask: SecretMask

    func write(_ line: String, to channel: OutputChannel) async { await sink.write(mask.masked(line), to: channel) }

    func offer(_ line: String, to channel: OutputChannel) -> Bool { sink.offer(mask.masked(line), to: channel) }
}
