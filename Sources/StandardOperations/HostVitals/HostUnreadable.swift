/// This system tells nothing of itself in a way that is known here.
struct HostUnreadable: ExplainedError {
    var description: String {
        "This system tells neither CPU, memory, load, disk nor network. On Linux, see that /proc is mounted."
    }
}
